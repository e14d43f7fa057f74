import StrandlineBench
import StrandlineModels
import Testing

@Suite struct FigureTests {
  @Test func `a figure with a yardstick is judged by its ratio`() {
    let figure = Figure(
      "insert", "insert", 40_000, "/s", yardstick: ("raw", 100_000), floor: 0.35, aim: 0.5)
    #expect(figure.ratio == 0.4)
    #expect(figure.isMet == true)
    #expect(figure.isAimed == false)
  }

  @Test func `a figure of which less is better is judged the other way`() {
    let figure = Figure("start", "start", 60, "ms", floor: 100, aim: 50, better: .smaller)
    #expect(figure.isMet == true)
    #expect(figure.isAimed == false)
    #expect(Figure("start", "start", 120, "ms", floor: 100, better: .smaller).isMet == false)
  }

  @Test func `a figure of which nothing is asked has no verdict`() {
    let figure = Figure("size-data", "the data itself", 12, "MB")
    #expect(figure.isMet == nil && figure.isAimed == nil)
    #expect(figure.json["met"] == .null)
  }

  @Test func `a line of JSON has every field`() {
    let json = Figure("save", "saves", 2, "/s", yardstick: ("raw", 4), floor: 0.6, aim: 0.8).json
    let text = """
      {"name":"save","title":"saves","value":2.0,"unit":"/s","yardstick":4.0,\
      "yardstickName":"raw","ratio":0.5,"floor":0.6,"aim":0.8,"met":false,"aimed":false}
      """
    #expect(json.text.replacing(".0,", with: ",") == text.replacing(".0,", with: ","))
  }

  @Test func `lines of the table fit 110 columns and end with their verdict`() {
    let figure = Figure(
      "first-sync", "a save seen elsewhere, directory: median", 123_456, "records/s",
      yardstick: ("rawread", 1_234_567), floor: 0.35, aim: 0.5)
    #expect(FigureTable.heading.count <= 110)
    #expect(FigureTable.line(figure).count <= 110)
    #expect(FigureTable.line(figure).contains("123,456 records/s"))
    #expect(FigureTable.line(figure).hasSuffix("✗ below"))
  }

  @Test(arguments: [
    (0.0317, "0.032"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (1234.0, "1,234"),
    (1_234_567.0, "1,234,567"), (Double.nan, "–"),
  ])
  func `numbers have three digits or their thousands set apart`(number: Double, text: String) {
    #expect(FigureTable.number(number) == text)
  }
}
