import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from './support/effect-adapters.ts'
import { type Effect, type EffectUse, effectsOf } from './support/effects.ts'
import { type FolderImport, folderCycles } from './support/folder-cycles.ts'

const root = fileURLToPath(new URL('../src/', import.meta.url))

/** The layers that each folder may import besides itself; every layer may import the leaves. */
const LEAVES = ['primitives', 'chain']
const BELOW_SERVICE = [
  'sources',
  'solidity',
  'server',
  'rpc',
  'rest',
  'replication',
  'node',
  'pool',
  'engine',
  'feed',
  'fork',
  'upstream',
  'state',
].concat('storage', LEAVES)
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  primitives: [],
  chain: ['primitives'],
  storage: LEAVES,
  state: ['storage', ...LEAVES],
  engine: ['state', 'storage', ...LEAVES],
  pool: ['state', 'storage', ...LEAVES],
  feed: ['state', 'storage', ...LEAVES],
  fork: ['upstream', 'state', 'storage', ...LEAVES],
  upstream: LEAVES,
  node: ['fork', 'pool', 'engine', 'feed', 'state', 'storage', ...LEAVES],
  // These read a `View`, never the state and storage below it.
  rpc: ['node', 'pool', 'engine', 'feed', ...LEAVES],
  rest: ['node', 'pool', 'engine', 'feed', 'upstream', ...LEAVES],
  replication: ['node', 'state', 'storage', ...LEAVES],
  // A client of the node through its methods, which it receives as a function.
  sources: ['solidity', ...LEAVES],
  // Runs in browsers and in Node.
  solidity: ['primitives'],
  server: ['rpc', 'rest', 'replication', 'node', 'pool', 'engine', 'feed', 'upstream', 'state', 'storage', ...LEAVES],
  flags: ['server', 'rpc', 'node', 'pool', 'storage', ...LEAVES],
  service: ['flags', ...BELOW_SERVICE],
  // Shared by the studio and `tickertape watch`, so it runs in browsers and in Node.
  live: ['primitives'],
  cli: ['service', 'flags', 'live', ...BELOW_SERVICE],
  library: ['service', 'flags', ...BELOW_SERVICE],
  // A page for browsers: it knows the node by its public interfaces only.
  studio: ['live', 'solidity', 'primitives'],
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^'"]*?from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g

/** Type imports do not exist at run time. */
const STATIC_IMPORT = /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:[^'"]*?from\s+)?['"](\.[^'"]+)['"]/g

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(IMPORT)].map((match) => resolve(dirname(file), (match[1] ?? match[2])!))
}

function folderOf(file: string): string {
  return relative(root, file).split(sep)[0]!
}

test('every folder is a known layer', () => {
  expect([...new Set(files.map(folderOf))].filter((folder) => !(folder in ALLOWED))).toEqual([])
})

test('imports go only to layers further right, or to the leaves', () => {
  const wrong = files.flatMap((file) => {
    const from = folderOf(file)
    return importsOf(file)
      .filter((target) => target.startsWith(root))
      .filter((target) => folderOf(target) !== from && !ALLOWED[from]!.includes(folderOf(target)))
      .map((target) => `${relative(root, file)} imports ${relative(root, target)}`)
  })
  expect(wrong).toEqual([])
})

test('the folders of a layer import each other in one direction', () => {
  const folderPath = (file: string): string => relative(root, dirname(file))
  const imports = files
    .flatMap((from) => importsOf(from).map((to) => ({ from, to })))
    .filter(({ from, to }) => folderOf(from) === folderOf(to) && folderPath(from) !== folderPath(to))
  const cycles = folderCycles(imports, folderPath)

  // Break it by moving a type down to the lowest folder that needs it, or an assembly up.
  const reasons = cycles.map(({ folders, imports }) =>
    [
      `These folders form a cycle: ${folders}`,
      'Its imports, those of the rarest directions first:',
      ...rarestFirst(imports, folderPath).map(
        ({ from, to }) => `  ${relative(root, from)} imports ${relative(root, to)}`,
      ),
    ]
      .slice(0, 20)
      .join('\n'),
  )
  expect(reasons.join('\n\n')).toBe('')
})

/** Floors of a layer by its folders, lowest first: folders import folders of their floor and of lower ones. */
const FLOORS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  chain: {
    rules: ['', 'accounts', 'forks'],
    transactions: ['transaction', 'b20'],
    blocks: ['block', 'predeploys', 'predeploys/op-stack'],
    fees: ['fees', 'system-transactions', 'receipt'],
    chains: ['validation', 'genesis', 'networks', 'profiles'],
  },
  storage: { store: [''], pages: ['pages'], database: ['lmdb'] },
  state: {
    values: [''],
    encodings: ['records', 'trie'],
    tables: ['chain-store/encoding', 'address-index'],
    access: ['chain-store/readers', 'chain-store/logs', 'chain-store/writes'],
    store: ['chain-store/transfer', 'chain-store'],
  },
  engine: {
    types: ['', 'console'],
    machine: [
      ...['evm/abi', 'evm', 'precompiles/curves', 'precompiles/bls12-381', 'precompiles/bn254', 'precompiles', 'blobs'],
      ...[
        'assembly/words',
        'assembly/memory',
        'assembly',
        'assembly/state',
        'assembly/execution',
        'assembly/entry',
      ].map((folder) => `evm/${folder}`),
      'precompiles/assembly',
    ],
    transactions: ['transaction'],
    blocks: ['block', 'call', 'session'],
    requests: ['simulate', 'trace', 'trace/steps', 'trace/profile'],
  },
  node: {
    log: ['core', 'log', 'layer1', 'forking', 'address-index'],
    machine: ['machine', 'tries', 'store'],
    view: ['view', 'intake', 'development'],
    work: ['production', 'production/building', 'following'],
    roles: ['roles', 'roles/failover', 'tools', 'tools/witness', 'tools/read-proof'],
  },
  rpc: {
    protocol: ['protocol', 'compat'],
    encoding: [
      ...['codecs', 'codecs/development', 'codecs/simulation', 'codecs/traces', 'schemas', 'format'],
      ...['format/traces', 'memoized', 'logs', 'scheduling'],
    ],
    context: ['reports', 'context', 'filters', 'subscriptions'],
    methods: [
      ...['registry', 'queries', 'queries/reports', 'sending', 'signing', 'wallet', 'development', 'state-files'],
      ...['methods', 'methods/development', 'methods/explorers'],
    ],
    service: ['dispatch', 'forwarding', 'threads', ''],
  },
}

test.each(Object.entries(FLOORS))('a floor of %s imports only lower floors', (layer, floors) => {
  const folderWithin = (file: string) => relative(join(root, layer), dirname(file))
  const floorOf = (file: string) => Object.values(floors).findIndex((floor) => floor.includes(folderWithin(file)))
  const imports = importsWithin(layer)

  const wrong = imports.filter(({ from, to }) => floorOf(from) === -1 || floorOf(to) > floorOf(from))
  expect(wrong.map(({ from, to }) => `${relative(root, from)} imports ${relative(root, to)}`)).toEqual([])
  expect(imports.length).toBeGreaterThan(100)
})

test('the production and the following of the node do not know each other', () => {
  const sideOf = (file: string) => relative(join(root, 'node'), file).split(sep)[0]!
  const wrong = importsWithin('node').filter(
    ({ from, to }) => `${sideOf(from)} ${sideOf(to)}`.match(/^(production following|following production)$/) !== null,
  )
  expect(wrong.map(({ from, to }) => `${relative(root, from)} imports ${relative(root, to)}`)).toEqual([])
})

function importsWithin(layer: string): readonly FolderImport[] {
  return files
    .filter((from) => folderOf(from) === layer)
    .flatMap((from) => importsOf(from).map((to) => ({ from, to })))
    .filter(({ to }) => folderOf(to) === layer)
}

/** The fewer imports lead from one folder to another, the cheaper they are to remove. */
function rarestFirst(imports: readonly FolderImport[], folderPath: (file: string) => string): readonly FolderImport[] {
  const direction = ({ from, to }: FolderImport) => `${folderPath(from)} ${folderPath(to)}`
  const counts = new Map<string, number>()
  for (const one of imports) counts.set(direction(one), (counts.get(direction(one)) ?? 0) + 1)
  return imports.toSorted((a, b) => counts.get(direction(a))! - counts.get(direction(b))!)
}

test('the check of folders finds a cycle and nothing around it', () => {
  const imports = ['a/x.ts b/y.ts', 'b/y.ts c/z.ts', 'c/z.ts a/w.ts', 'd/v.ts a/x.ts', 'c/z.ts e/u.ts'].map((line) => {
    const [from, to] = line.split(' ')
    return { from: from!, to: to! }
  })
  expect(folderCycles(imports, dirname)).toEqual([{ folders: 'a b c', imports: imports.slice(0, 3) }])
})

test('the package imports no package of the oracle', () => {
  const wrong = files.filter((file) => /['"]@ethereumjs\//.test(readFileSync(file, 'utf8')))
  expect(wrong.map((file) => relative(root, file))).toEqual([])
})

test('the stock commands are clients: they import nothing of the node', () => {
  const own = join('cli', 'stock')
  const shared = ['process/command-options.ts', 'terminal/terminal-text.ts'].map((file) => join('cli', file))
  const allowed = [...LEAVES, own, 'live', 'flags', ...shared]
  const wrong = files
    .filter((file) => relative(root, file).startsWith(own))
    .flatMap(importsOf)
    .map((target) => relative(root, target))
    .filter((target) => !allowed.some((folder) => target.startsWith(folder)))
  expect(wrong).toEqual([])
})

test('the page of the studio, and what it may import of solidity, load nothing of Node', () => {
  const solidity = files.map((file) => relative(root, file)).filter((file) => folderOf(join(root, file)) === 'solidity')
  const pages = ['studio/main.tsx', 'studio/views/debugger/debugger-view.tsx']
  const reached = [...pages, ...solidity].flatMap((entry) => [...loadedBy(entry)])
  expect(solidity.length).toBeGreaterThan(0)
  expect(reached).toContain(join(root, 'primitives/decimal.ts'))
  const loading = reached.filter((file) => /from 'node:|\bBuffer\b/.test(readFileSync(file, 'utf8')))
  expect(loading.map((file) => relative(root, file))).toEqual([])
})

/** The files that a module loads at once. */
function loadedBy(entry: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file) || !/\.tsx?$/.test(file)) return
    reached.add(file)
    for (const match of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) visit(resolve(dirname(file), match[1]!))
  }
  visit(join(root, entry))
  return reached
}

test('a start does not load the ABI encoder', () => {
  const reached = loadedBy('cli/program.ts')
  expect(reached).toContain(join(root, 'cli/stock/stock-commands.ts'))
  const loading = [...reached].filter((file) => readFileSync(file, 'utf8').includes("from 'micro-eth-signer"))
  expect(loading.map((file) => relative(root, file))).toEqual([])
})

test('the library loads neither the parser of the command line nor the server', () => {
  const reached = loadedBy('library/index.ts')
  expect(reached).toContain(join(root, 'service/open-network.ts'))
  expect(reached).not.toContain(join(root, 'server/create-server.ts'))
  const loading = [...reached].filter((file) => readFileSync(file, 'utf8').includes("from 'commander'"))
  expect(loading.map((file) => relative(root, file))).toEqual([])
})

test('the check finds imports', () => {
  expect(files.flatMap(importsOf).length).toBeGreaterThan(100)
})

test('the import graph has no cycle', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]))
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      const cycle = [...path.slice(path.indexOf(file)), file].map((name) => relative(root, name))
      cycles.push(cycle.join(' -> '))
      return
    }
    state.set(file, 'open')
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

describe('effects', () => {
  type Use = EffectUse & { readonly file: string }
  // AssemblyScript has none of these effects, and its own globals.
  const sources = files
    .map((file) => relative(root, file).split(sep).join('/'))
    .filter((file) => !file.includes('/assembly/'))
  const uses: readonly Use[] = sources.flatMap((file) => effectsOf(join(root, file)).map((use) => ({ ...use, file })))
  const isWithin = (file: string, path: string) => (path.endsWith('/') ? file.startsWith(path) : file === path)

  test('clocks, timers, randomness, files, threads, processes and sockets are used by named adapters only', () => {
    const isAllowed = ({ file, effect }: Use) =>
      ADAPTERS.some(({ path, effects }) => isWithin(file, path) && effects.includes(effect))

    const wrong = uses.filter((use) => !isAllowed(use))

    // Take a `Clock`, `yieldTurn` or `randomBytes` from the caller, or name the adapter in effect-adapters.ts.
    expect(wrong.map(({ file, line, name, effect }) => `src/${file}:${line} uses ${name} (${effect})`)).toEqual([])
  })

  test('each adapter uses each effect that it may use, and no other entry contains it', () => {
    const isUsed = (path: string, effect: Effect) =>
      uses.some((use) => isWithin(use.file, path) && use.effect === effect)
    const unused = ADAPTERS.flatMap(({ path, effects }) =>
      effects.filter((effect) => !isUsed(path, effect)).map((effect) => `${path} uses no ${effect}`),
    )
    const paths = ADAPTERS.map(({ path }) => path)
    const contained = paths.filter((path) => paths.filter((other) => isWithin(path, other)).length > 1)

    expect(unused).toEqual([])
    expect(contained).toEqual([])
  })
})
