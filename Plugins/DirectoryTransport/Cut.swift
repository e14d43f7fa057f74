import StrandlineModels

/// What can be read of a zone now: of each writer the next groups, as far as everything that
/// their writers had read can be read too.
///
/// Writers gather their groups into larger ones, which may then wait for each other in a circle.
/// So no group is judged alone. All groups that are there are taken at first; then those whose
/// writers had read what is not among them are left out, with all that follows them, until
/// nothing more has to be. What remains is the greatest consistent part of the zone (C4e).
struct Cut {
  /// Some groups of one writer that are read together.
  struct Step: Hashable {
    let writer: DeviceID
    let groups: [SegmentGroup]
    let headers: [Segment.Header]
    /// The writer's position once they were read.
    let after: Positions.Position
    /// The places of other writers that are thereby read.
    let covers: [DeviceID: Cover]

    /// What was not read of all that the groups' writer had read.
    func lacks(_ positions: Positions, reader: DeviceID) -> [(DeviceID, Int64)] {
      headers.flatMap(\.vector).filter { other, sequence in
        other != reader && other != writer && positions[other].sequence < sequence
          && (covers[other]?.sequence ?? 0) < sequence
      }
    }

    static func == (left: Step, right: Step) -> Bool {
      left.writer == right.writer && left.groups == right.groups
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(writer)
      hasher.combine(groups)
    }
  }

  typealias HeaderReader = (SegmentGroup, DeviceID) throws(GroupFault) -> Segment.Header

  let reader: DeviceID
  /// The groups of each writer that are in the folder.
  let groups: [DeviceID: [SegmentGroup]]
  /// Writers whose groups no longer wait for others.
  let impatient: Set<DeviceID>
  private let start: Positions
  /// How far the cut reaches.
  private(set) var reach: Positions
  /// The steps of each writer in their order.
  private(set) var steps: [DeviceID: [Step]] = [:]
  /// Why a writer's next group is not in the cut, where it is not another writer's fault.
  private(set) var waits: [DeviceID: FetchPass.Wait] = [:]
  /// What is missing for the groups that were left out.
  private(set) var missing: Set<FetchPass.MissingRead> = []
  private var leftOut: Set<Step> = []

  /// Finds the cut.
  ///
  /// - Parameters:
  ///   - reader: Who reads, whose own groups are not read.
  ///   - groups: The groups of each writer.
  ///   - start: How far each writer was read before.
  ///   - impatient: Writers whose groups no longer wait for others.
  ///   - header: Reads and verifies a group's header.
  init(
    reader: DeviceID, groups: [DeviceID: [SegmentGroup]], start: Positions,
    impatient: Set<DeviceID> = [], header: HeaderReader
  ) {
    self.reader = reader
    self.groups = groups
    self.start = start
    self.impatient = impatient
    reach = start
    repeat {
      (reach, steps, waits) = (start, [:], [:])
      extend(header)
    } while leaveOut()
    noteMissing()
  }

  /// Takes the next step of those that remain, one whose writer's readings were read if there is
  /// any; nil at the end of the cut.
  mutating func next(at positions: Positions) -> Step? {
    let writers = steps.keys.sorted().filter { steps[$0]?.isEmpty == false }
    let ready = writers.first { writer in
      steps[writer]?.first?.lacks(positions, reader: reader).isEmpty == true
    }
    guard let writer = ready ?? writers.first else { return nil }
    return steps[writer]?.removeFirst()
  }

  // MARK: Taking all that is there

  private mutating func extend(_ header: HeaderReader) {
    var progress = true
    while progress {
      progress = false
      for writer in groups.keys.sorted() where writer != reader {
        while let step = nextStep(of: writer, header) ?? coverStep(of: writer, header) {
          take(step)
          progress = true
        }
      }
    }
  }

  private mutating func take(_ step: Step) {
    steps[step.writer, default: []].append(step)
    waits[step.writer] = nil
    reach[step.writer] = step.after
    reach.jump(step.covers, reader: reader)
  }

  private mutating func nextStep(of writer: DeviceID, _ header: HeaderReader) -> Step? {
    let groups = groups[writer] ?? []
    let position = reach[writer]
    if WriterChain.isBroken(groups, at: position) {
      return wholeStep(of: writer, header)
    }
    var isWaitingForOthers = false
    for group in WriterChain.candidates(groups, after: position.sequence) {
      do throws(GroupFault) {
        let found = try header(group, writer)
        if group.generation == 0, found.previous != position.link {
          return wholeStep(of: writer, header)
        }
        var after = position
        (after.sequence, after.link) = (group.sequence, found.link(of: group))
        after.isUploading = found.isPartOfUpload
        let step = Step(
          writer: writer, groups: [group], headers: [found], after: after,
          covers: found.covers)
        if !leftOut.contains(step) { return step }
        isWaitingForOthers = true
      } catch {
        waits[writer] = .fault(error, after: position.sequence)
      }
    }
    if waits[writer] == nil, !isWaitingForOthers {
      waits[writer] = WriterChain.gap(groups, after: position.sequence)
    }
    return nil
  }

  /// A group at or before the writer's position that covers what was not read of others.
  private mutating func coverStep(of writer: DeviceID, _ header: HeaderReader) -> Step? {
    let position = reach[writer]
    for group in groups[writer] ?? []
    where group.isCover && group.isComplete && group.sequence <= position.sequence {
      let found: Segment.Header
      do throws(GroupFault) {
        found = try header(group, writer)
      } catch {
        // What it would cover is waited for, and said to be.
        continue
      }
      guard found.covers.contains(where: { $0 != reader && reach[$0].sequence < $1.sequence })
      else { continue }
      let step = Step(
        writer: writer, groups: [group], headers: [found], after: position,
        covers: found.covers)
      if !leftOut.contains(step) { return step }
    }
    return nil
  }

  /// Reads everything of a writer whose files do not make one chain with what was read before.
  ///
  /// That is so after a store was restored with its folder, or cloned: one sequence then means two
  /// things. Facts may be read twice without harm, so all of them are read once for every set of
  /// files.
  private mutating func wholeStep(of writer: DeviceID, _ header: HeaderReader) -> Step? {
    let groups = groups[writer] ?? []
    var position = reach[writer]
    let whole = groups.filter(\.isComplete).sorted {
      ($0.sequence, $0.base, $0.generation) < ($1.sequence, $1.base, $1.generation)
    }
    var found: [(group: SegmentGroup, header: Segment.Header)] = []
    if WriterChain.digest(whole) != position.readWhole {
      for group in whole {
        do throws(GroupFault) {
          found.append((group, try header(group, writer)))
        } catch {
          waits[writer] = .fault(error, after: position.sequence)
        }
      }
    }
    let digest = WriterChain.digest(found.map(\.group))
    guard let last = found.last, digest != position.readWhole else {
      waits[writer] = waits[writer] ?? WriterChain.gap(groups, after: position.sequence)
      return nil
    }
    if last.group.sequence >= position.sequence {
      (position.sequence, position.link) = (last.group.sequence, last.header.link(of: last.group))
      position.isUploading = last.header.isPartOfUpload
    }
    position.readWhole = []
    let headers = Dictionary(found.map { ($0.group, $0.header) }) { first, _ in first }
    let isMended =
      WriterChain.isOneChain(headers, upTo: position.sequence)
      && !WriterChain.isBroken(groups, at: position)
    if !isMended { position.readWhole = digest }
    let step = Step(
      writer: writer, groups: found.map(\.group), headers: found.map(\.header),
      after: position,
      covers: found.reduce(into: [:]) { $0.formUnion($1.header.covers) })
    return leftOut.contains(step) ? nil : step
  }

  // MARK: Leaving out what waits

  /// Leaves out the steps that lack something; whether there were any.
  private mutating func leaveOut() -> Bool {
    let before = leftOut.count
    for (writer, steps) in steps where !impatient.contains(writer) {
      for step in steps where !step.lacks(reach, reader: reader).isEmpty {
        leftOut.insert(step)
      }
    }
    return leftOut.count > before
  }

  private mutating func noteMissing() {
    for step in leftOut {
      for (writer, sequence) in step.lacks(reach, reader: reader) {
        missing.insert(.init(writer: writer, sequence: sequence, reader: step.writer))
      }
    }
  }

  /// Where a writer was before the cut.
  func beginning(of writer: DeviceID) -> Positions.Position { start[writer] }

  /// The writers whose next groups wait for another writer's.
  var waiting: Set<DeviceID> { Set(missing.map(\.reader)) }
}

extension Positions {
  /// Takes the places that a group covers, where they are further than what was read.
  mutating func jump(_ covers: [DeviceID: Cover], reader: DeviceID) {
    for (writer, cover) in covers
    where writer != reader && self[writer].sequence < cover.sequence {
      self[writer] = Position(cover)
    }
  }
}
