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
  ]
}
