import { readFileSync } from 'node:fs'
import ts from '@typescript/typescript6'

/** Kinds of effects: what a simulation or a test has to replace to decide what a source does. */
export type Effect = 'clock' | 'timer' | 'random' | 'files' | 'threads' | 'processes' | 'network'

/**
 * Globals that have an effect. `queueMicrotask` and `process.nextTick` are none: their order follows from the program.
 * `Date` and `Math` are pure but for the members below.
 */
const GLOBALS: Readonly<Record<string, Effect>> = {
  performance: 'clock',
  setTimeout: 'timer',
  setInterval: 'timer',
  setImmediate: 'timer',
  crypto: 'random',
  fetch: 'network',
  WebSocket: 'network',
}

const MEMBERS: Readonly<Record<string, Effect>> = {
  'Date.now': 'clock',
  'Math.random': 'random',
  'process.hrtime': 'clock',
  'process.uptime': 'clock',
  'AbortSignal.timeout': 'timer',
}

/** Modules with effects, and which of their names have one. Types may be imported everywhere. */
const MODULES: Readonly<Record<string, readonly [effect: Effect, names: RegExp]>> = {
  'node:perf_hooks': ['clock', /./],
  'node:os': ['clock', /^uptime$/],
  'node:timers': ['timer', /./],
  'node:timers/promises': ['timer', /./],
  'node:crypto': ['random', /^(?:random\w*|getRandomValues|webcrypto|generate\w+)$/],
  'node:fs': ['files', /./],
  'node:fs/promises': ['files', /./],
  lmdb: ['files', /^open/],
  'node:worker_threads': ['threads', /./],
  'node:child_process': ['processes', /./],
  'node:cluster': ['processes', /./],
  'node:dgram': ['network', /./],
  'node:dns': ['network', /./],
  'node:dns/promises': ['network', /./],
  'node:http': ['network', /^(?!METHODS|STATUS_CODES)/],
  'node:http2': ['network', /./],
  'node:https': ['network', /./],
  'node:net': ['network', /^(?!isIP|BlockList)/],
  'node:tls': ['network', /./],
  '@nats-io/transport-node': ['network', /^connect$/],
  ws: ['network', /./],
}

const WORDS = new RegExp(['Date', ...[GLOBALS, MEMBERS, MODULES].flatMap(Object.keys)].join('|'))

export interface EffectUse {
  readonly effect: Effect
  /** As in the source: `performance`, `node:fs`. */
  readonly name: string
  /** The line of the source, beginning with 1. */
  readonly line: number
}

/** Direct uses of effects in a TypeScript source: of globals that no declaration hides, and of imported modules. */
export function effectsOf(file: string, text = readFileSync(file, 'utf8')): readonly EffectUse[] {
  // Most sources have no such word, and need not be parsed.
  if (!WORDS.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: EffectUse[] = []
  const visit = (node: ts.Node): void => {
    const use = effectOf(node)
    if (use !== undefined) {
      found.push({ ...use, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 })
    }
    if (!ts.isTypeNode(node)) ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

type Named = Omit<EffectUse, 'line'>

function effectOf(node: ts.Node): Named | undefined {
  if (ts.isImportDeclaration(node)) return importedEffect(node)
  if (ts.isExportDeclaration(node)) {
    const { isTypeOnly, moduleSpecifier } = node
    return isTypeOnly || moduleSpecifier === undefined ? undefined : moduleEffect(moduleSpecifier)
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return node.arguments[0] && moduleEffect(node.arguments[0])
  }
  if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && isGlobal(node.expression, 'Date')) {
    // `Date()` is the present time as text, whatever its arguments are.
    const isPresent = ts.isCallExpression(node) || (node.arguments ?? []).length === 0
    return isPresent ? { effect: 'clock', name: 'Date()' } : undefined
  }
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText()
    const { expression } = node
    if (isGlobal(expression, 'globalThis')) return named(GLOBALS, node.name.text)
    if (isGlobal(expression)) return named(MEMBERS, name)
    const isOfGlobalObject = ts.isPropertyAccessExpression(expression) && isGlobal(expression.expression, 'globalThis')
    return isOfGlobalObject ? named(MEMBERS, name.slice('globalThis.'.length)) : undefined
  }
  return isGlobal(node) ? named(GLOBALS, node.getText()) : undefined
}

function named(effects: Readonly<Record<string, Effect>>, name: string): Named | undefined {
  return Object.hasOwn(effects, name) ? { effect: effects[name]!, name } : undefined
}

function importedEffect({ importClause, moduleSpecifier }: ts.ImportDeclaration): Named | undefined {
  if (importClause?.isTypeOnly) return undefined
  const bindings = importClause?.namedBindings
  const elements = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : undefined
  const values = elements?.filter(({ isTypeOnly }) => !isTypeOnly).map((one) => (one.propertyName ?? one.name).text)
  return moduleEffect(moduleSpecifier, importClause?.name ? undefined : values)
}

/** @param values that are imported; default: all of the module */
function moduleEffect(specifier: ts.Expression, values?: readonly string[]): Named | undefined {
  if (!ts.isStringLiteral(specifier) || !Object.hasOwn(MODULES, specifier.text)) return undefined
  const [effect, names] = MODULES[specifier.text]!
  const isUsed = values === undefined || values.some((name) => names.test(name))
  return isUsed ? { effect, name: specifier.text } : undefined
}

/** Whether a node is a use of a global: no enclosing scope declares the name, and it is no name of a member. */
function isGlobal(node: ts.Node, name?: string): boolean {
  if (!ts.isIdentifier(node) || (name !== undefined && node.text !== name)) return false
  const { parent } = node as { readonly parent: ts.Node & { readonly name?: ts.Node; readonly propertyName?: ts.Node } }
  const isName = parent.name === node || parent.propertyName === node
  if (isName && !ts.isShorthandPropertyAssignment(parent)) return false
  for (let scope: ts.Node = node; !ts.isSourceFile(scope); ) {
    scope = scopeOf(scope)
    if (declaredIn(scope).has(node.text)) return false
  }
  return true
}

function scopeOf({ parent }: ts.Node): ts.Node {
  const isScope = ts.isBlock(parent) || ts.isSourceFile(parent) || ts.isFunctionLike(parent)
  return isScope || ts.isForStatement(parent) || ts.isForOfStatement(parent) || ts.isCatchClause(parent)
    ? parent
    : scopeOf(parent)
}

const declarations = new WeakMap<ts.SourceFile, ReadonlyMap<ts.Node, ReadonlySet<string>>>()
const NONE: ReadonlySet<string> = new Set()

function declaredIn(scope: ts.Node): ReadonlySet<string> {
  const source = scope.getSourceFile()
  const known = declarations.get(source) ?? declarationsOf(source)
  declarations.set(source, known)
  return known.get(scope) ?? NONE
}

/** Names of variables, parameters, functions and imports by the scope that has them. */
function declarationsOf(source: ts.SourceFile): ReadonlyMap<ts.Node, ReadonlySet<string>> {
  const found = new Map<ts.Node, Set<string>>()
  const visit = (node: ts.Node): void => {
    if (isDeclaration(node) && node.name !== undefined && ts.isIdentifier(node.name)) {
      const scope = scopeOf(node)
      found.set(scope, (found.get(scope) ?? new Set()).add(node.name.text))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isDeclaration(node: ts.Node) {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isImportSpecifier(node)
  )
}
