/** The pages of `docs/` in the order of the side bar. `docs-site.long.test.ts` finds pages that it lacks. */
export const PAGES = [
  group('Start', {
    '': 'Overview',
    clients: 'Clients and tools',
    migrating: 'From Anvil or Hardhat',
    studio: 'The studio',
  }),
  group('Guides', {
    'guides/stocks': 'To a stock, through a split',
    'guides/stocks-market': 'Closed and frozen markets',
    'guides/denim': 'What Denim changes',
  }),
  group('Use', {
    library: 'The node as a library',
    'developer-tools': 'Tools of a development node',
    bundlers: 'Bundlers',
    sources: 'Verified sources',
    'gas-and-coverage': 'Gas reports and coverage',
    debugger: 'Debugger',
    mcp: 'Tools for agents',
    fork: 'Forking another chain',
    profiles: 'Profiles',
    feed: 'Feeds',
    witnesses: 'Block witnesses',
    stocks: 'Tokenized stocks',
    'stocks-alone': 'The stock service alone',
  }),
  group('Reference', {
    rpc: 'JSON-RPC methods',
    rest: 'REST',
    api: 'API of the library',
    cli: 'Flags',
    errors: 'Errors',
    metrics: 'Metrics, health, readiness',
    admission: 'Admission of transactions',
    glossary: 'Glossary',
  }),
  group('Operate', { operations: 'Operations', traces: 'Traces', scale: 'Scaling out', releasing: 'Releasing' }),
  group('Evidence', {
    performance: 'Performance',
    precompiles: 'Precompiles',
    robustness: 'Robustness',
    conformance: 'Conformance',
    testing: 'Testing',
    'adr/': 'Decisions',
  }),
]

function group(text, pages) {
  return { text, items: Object.entries(pages).map(([path, title]) => ({ text: title, link: `/${path}` })) }
}
