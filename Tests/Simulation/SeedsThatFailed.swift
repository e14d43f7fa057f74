import StrandlineTesting

/// The shortest plans that failed once, with the fault that they found.
///
/// They run each time. A plan is kept whole, since what a seed draws changes with the kinds of
/// trouble that there are.
enum SeedsThatFailed {
  static let all: [(fault: String, plan: FleetPlan)] = [
    (
      "A device said to be caught up as of its cycle's end, not as of its last reading.",
      FleetPlan(
        seed: 7, deviceCount: 3, hazards: [],
        actions: [
          FleetAction(.takeSteps, device: 11, seed: 7_047_080_995_384_433_728),
          FleetAction(.edit, device: 0, seed: 5_894_705_141_355_004_150),
          FleetAction(.takeSteps, device: 11, seed: 17_599_774_830_844_088_246),
        ])
    ),
    (
      "A device said to be caught up as of its cycle's end, in a zone of small pages.",
      FleetPlan(
        seed: 1, deviceCount: 3, hazards: [.joins, .smallPages, .switches],
        actions: [
          FleetAction(.edit, device: 1, seed: 16_490_264_502_457_544_819),
          FleetAction(.takeSteps, device: 3, seed: 690_534_760_664_260_851),
          FleetAction(.takeSteps, device: 6, seed: 8_680_832_624_474_097_475),
          FleetAction(.runCycle, device: 10, seed: 14_863_465_652_308_409_173),
        ])
    ),
    (
      "More lost values than a page takes were told with one page, which was refused for ever.",
      FleetPlan(
        seed: 2, deviceCount: 3, hazards: [.joins, .rapidEdits, .smallPages, .switches, .upgrades],
        actions: [
          FleetAction(.editRapidly, device: 7, seed: 4_921_249_918_627_834_127),
          FleetAction(.edit, device: 9, seed: 3_114_053_619_271_302_762),
        ])
    ),
    (
      "More lost values than a page takes came from two devices that toggled one record.",
      FleetPlan(
        seed: 4, deviceCount: 3,
        hazards: [.joins, .powerLoss, .pruning, .rapidEdits, .smallPages],
        actions: [
          FleetAction(.editRapidly, device: 0, seed: 6_109_599_140_648_842_045),
          FleetAction(.editRapidly, device: 10, seed: 16_379_831_230_163_817_069),
        ])
    ),
    (
      "An edit that ended with a held delete of an earlier piece was listed nowhere.",
      FleetPlan(
        seed: 559, deviceCount: 2, hazards: [.rapidEdits, .smallPages],
        actions: [
          FleetAction(.edit, device: 8, seed: 16_046_328_327_532_030_845),
          FleetAction(.editRapidly, device: 1, seed: 17_604_651_988_885_072_132),
          FleetAction(.editRapidly, device: 6, seed: 4_594_707_893_647_364_040),
          FleetAction(.edit, device: 7, seed: 9_503_566_315_166_877_722),
          FleetAction(.edit, device: 8, seed: 3_303_043_735_536_467_917),
          FleetAction(.runCycle, device: 3, seed: 6_817_876_589_856_789_106),
          FleetAction(.edit, device: 5, seed: 14_759_653_545_120_277_865),
          FleetAction(.edit, device: 4, seed: 7_013_917_159_489_759_919),
          FleetAction(.edit, device: 10, seed: 1_026_917_594_615_296_221),
          FleetAction(.edit, device: 3, seed: 1_178_901_029_127_905_273),
          FleetAction(.passTime, device: 9, seed: 10_293_789_102_572_119_153),
          FleetAction(.runCycle, device: 3, seed: 18_195_393_909_442_728_820),
          FleetAction(.edit, device: 4, seed: 13_474_092_413_815_842_649),
          FleetAction(.edit, device: 11, seed: 9_209_390_143_987_596_832),
          FleetAction(.edit, device: 6, seed: 6_501_192_096_076_133_097),
          FleetAction(.edit, device: 11, seed: 7_951_512_385_520_834_833),
          FleetAction(.edit, device: 9, seed: 16_805_336_898_085_468_214),
          FleetAction(.editRapidly, device: 3, seed: 6_490_179_486_631_669_610),
          FleetAction(.runCycle, device: 4, seed: 8_683_347_677_529_002_070),
          FleetAction(.editRapidly, device: 8, seed: 16_408_528_062_465_416_457),
          FleetAction(.edit, device: 1, seed: 9_730_448_004_173_190_984),
          FleetAction(.edit, device: 1, seed: 3_728_286_725_285_685_952),
          FleetAction(.runCycle, device: 0, seed: 16_604_926_277_945_620_876),
          FleetAction(.runCycle, device: 1, seed: 18_138_003_995_237_356_273),
          FleetAction(.editRapidly, device: 2, seed: 15_039_833_003_442_546_597),
          FleetAction(.edit, device: 6, seed: 8_289_489_846_306_051_266),
          FleetAction(.edit, device: 8, seed: 4_200_169_526_881_368_155),
          FleetAction(.runCycle, device: 10, seed: 18_265_640_043_667_492_706),
          FleetAction(.edit, device: 2, seed: 5_083_357_600_456_848_099),
          FleetAction(.edit, device: 1, seed: 17_169_243_171_437_592_605),
        ])
    ),
    (
      "Of two values with one stamp, the one that lost was listed nowhere.",
      FleetPlan(
        seed: 1097, deviceCount: 4, hazards: [],
        actions: [
          FleetAction(.edit, device: 3, seed: 8_122_097_910_163_947_201),
          FleetAction(.edit, device: 1, seed: 16_672_840_089_529_644_583),
          FleetAction(.runCycle, device: 7, seed: 5_457_876_664_197_798_113),
          FleetAction(.runCycle, device: 8, seed: 7_895_659_633_541_582_316),
          FleetAction(.runCycle, device: 0, seed: 4_207_462_468_905_084_259),
          FleetAction(.runCycle, device: 1, seed: 7_644_618_534_575_838_475),
          FleetAction(.runCycle, device: 2, seed: 5_053_619_299_086_010_647),
          FleetAction(.edit, device: 7, seed: 249_462_774_356_908_759),
          FleetAction(.edit, device: 10, seed: 6_590_455_566_929_127_170),
          FleetAction(.edit, device: 10, seed: 17_423_980_927_152_109_991),
          FleetAction(.edit, device: 5, seed: 3_929_447_901_362_367_160),
          FleetAction(.edit, device: 5, seed: 7_181_257_234_628_350_788),
        ])
    ),
    (
      "Of two values with one stamp, one by another client, the loser was listed nowhere.",
      FleetPlan(
        seed: 1183, deviceCount: 3, hazards: [.otherClients],
        actions: [
          FleetAction(.takeSteps, device: 6, seed: 14_484_859_931_294_585_311),
          FleetAction(.edit, device: 2, seed: 11_770_812_314_507_639_777),
          FleetAction(.runCycle, device: 11, seed: 17_858_460_686_771_546_872),
          FleetAction(.runCycle, device: 4, seed: 9_484_334_026_769_719_635),
          FleetAction(.takeSteps, device: 6, seed: 17_801_744_635_093_751_570),
          FleetAction(.edit, device: 1, seed: 6_776_212_200_412_877_982),
          FleetAction(.edit, device: 0, seed: 7_532_104_271_108_233_276),
        ])
    ),
    (
      "An edit that lost to a birth of its very stamp on another device was listed nowhere.",
      FleetPlan(
        seed: 1183, deviceCount: 3, hazards: [.otherClients],
        actions: [
          FleetAction(.takeSteps, device: 6, seed: 14_484_859_931_294_585_311),
          FleetAction(.runCycle, device: 8, seed: 7_078_784_327_312_360_070),
          FleetAction(.edit, device: 8, seed: 10_329_035_927_535_336_947),
          FleetAction(.edit, device: 1, seed: 8_885_938_388_006_354_207),
          FleetAction(.edit, device: 2, seed: 11_770_812_314_507_639_777),
          FleetAction(.runCycle, device: 11, seed: 17_858_460_686_771_546_872),
          FleetAction(.takeSteps, device: 9, seed: 13_651_837_464_800_160_882),
          FleetAction(.runCycle, device: 4, seed: 9_484_334_026_769_719_635),
          FleetAction(.edit, device: 0, seed: 13_313_638_750_880_349_023),
          FleetAction(.takeSteps, device: 6, seed: 17_801_744_635_093_751_570),
          FleetAction(.edit, device: 1, seed: 6_776_212_200_412_877_982),
          FleetAction(.edit, device: 0, seed: 7_532_104_271_108_233_276),
        ])
    ),
    (
      "The judge did not count time that passed by itself as an absence after which lists differ.",
      FleetPlan(
        seed: 3985, deviceCount: 2, hazards: [.absences, .links, .rapidEdits],
        actions: [
          FleetAction(.editRapidly, device: 1, seed: 11_594_782_482_967_357_887),
          FleetAction(.editRapidly, device: 4, seed: 4_616_922_364_227_578_164),
          FleetAction(.runCycle, device: 5, seed: 3_711_823_684_078_112_568),
          FleetAction(.runCycle, device: 4, seed: 9_014_628_196_167_663_854),
          FleetAction(.passTime, device: 8, seed: 9_795_820_394_577_859_339),
        ])
    ),
  ]

  /// Those whose model has records with an identity.
  static let withSettings: [(fault: String, plan: FleetPlan)] = [
    (
      "A record that was inserted anew after a delete ended a later life, which was listed nowhere.",
      FleetPlan(
        seed: 513, deviceCount: 3, hazards: [.accounts],
        actions: [
          FleetAction(.edit, device: 6, seed: 18_115_099_144_497_462_066),
          FleetAction(.edit, device: 5, seed: 11_811_955_035_359_951_342),
          FleetAction(.edit, device: 6, seed: 16_391_014_224_797_763_775),
          FleetAction(.runCycle, device: 2, seed: 4_493_728_759_006_443_621),
          FleetAction(.edit, device: 11, seed: 13_064_862_507_215_277_599),
          FleetAction(.edit, device: 11, seed: 1_685_224_819_993_470_159),
          FleetAction(.takeSteps, device: 8, seed: 5_887_348_584_669_930_737),
          FleetAction(.edit, device: 5, seed: 6_022_874_678_733_372_014),
        ])
    ),
    (
      "The judge took a group that had grown after its answer was lost for other contents.",
      FleetPlan(
        seed: 504, deviceCount: 3,
        hazards: [
          .clocks, .cursors, .joins, .otherClients, .powerLoss, .purges, .smallPages,
        ],
        actions: [
          FleetAction(.runCycle, device: 5, seed: 1_328_107_461_744_488_057),
          FleetAction(.join, device: 5, seed: 14_445_750_874_471_419_046),
          FleetAction(.takeSteps, device: 7, seed: 17_916_784_073_063_519_618),
          FleetAction(.takeSteps, device: 4, seed: 11_491_197_684_223_425_069),
          FleetAction(.edit, device: 3, seed: 13_202_559_480_815_649_176),
          FleetAction(.answerQuestion, device: 10, seed: 12_049_805_855_730_720_786),
          FleetAction(.edit, device: 1, seed: 1_499_048_031_254_745_060),
          FleetAction(.join, device: 4, seed: 17_760_694_468_402_956_979),
          FleetAction(.takeSteps, device: 3, seed: 14_797_702_794_481_371_433),
          FleetAction(.losePower, device: 8, seed: 14_289_726_179_617_480_610),
        ])
    ),
  ]
}
