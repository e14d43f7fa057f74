/// The looks of a bundle's page, in light and in dark.
enum PageStyle {
  static let css = """
    :root { color-scheme: light dark; --back: #ffffff; --text: #1c1c1e; --faint: #6b6b70;
      --line: #d4d4d8; --card: #f6f6f8; --green: #1a7f37; --red: #c5221f; --orange: #9a5b00;
      --blue: #0b57d0; --gray: #6b6b70; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #151517; --text: #ececee; --faint: #a0a0a6; --line: #3a3a3f;
        --card: #1f1f22; --green: #57c878; --red: #ff8a80; --orange: #f0b050; --blue: #8ab4f8;
        --gray: #a0a0a6; } }
    body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: var(--back);
      color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2rem; }
    table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
    th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem;
      border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
    section { overflow-x: auto; }
    article { background: var(--card); border-left: 0.3rem solid var(--gray);
      padding: 0.5rem 1rem; margin-bottom: 1rem; }
    article.green { border-color: var(--green); } article.red { border-color: var(--red); }
    article.orange { border-color: var(--orange); } article.blue { border-color: var(--blue); }
    .standing { font-weight: 600; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0; }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    svg { width: 100%; height: auto; min-width: 40rem; } svg text { fill: var(--text);
      font: 12px system-ui, sans-serif; } svg .faint { fill: var(--faint); }
    svg .axis { stroke: var(--line); } .succeeded { fill: var(--green); }
    .failed { fill: var(--red); } .running { fill: var(--blue); }
    .interrupted { fill: none; stroke: var(--orange); stroke-width: 2; }
    .report { fill: var(--gray); }
    """
}
