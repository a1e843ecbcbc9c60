import { DEFAULT_PROFILE, type ProfileName } from '../../chain/forks/chain-profile.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { MethodDescription } from '../protocol/method-description.ts'
import { type EnabledMethods, type Namespaces, namespaceOf } from '../protocol/namespaces.ts'
import type { Method } from './method.ts'

/** Always enabled, so that clients can ask which methods exist (go-ethereum). */
const ALWAYS = 'rpc'
/** Namespaces that a node serves beyond this machine only with --expose-debug. */
const NEEDS_EXPOSURE: ReadonlySet<string> = new Set(['debug', 'testing'])

/** The methods enabled on one transport. */
export class MethodSet implements EnabledMethods {
  readonly #enabled: ReadonlyMap<string, Method>
  readonly #disabled: ReadonlySet<string>
  readonly #development: ReadonlySet<string>
  readonly #otherDialects: ReadonlyMap<string, Dialect>
  readonly #otherProfiles: ReadonlyMap<string, readonly ProfileName[]>
  readonly #flag: string
  #descriptions: readonly MethodDescription[] | undefined

  /**
   * @param all methods of every dialect
   * @param options.profile of the chain; default: `flashblocks`
   * @param options.flag that enables namespaces, for the message about disabled ones
   * @param options.development whether methods of development nodes are enabled; default: false
   */
  constructor(
    all: readonly Method[],
    {
      dialect,
      namespaces,
      flag,
      development = false,
      profile = DEFAULT_PROFILE,
    }: {
      readonly dialect: Dialect
      readonly namespaces: Namespaces
      readonly flag: string
      readonly development?: boolean
      readonly profile?: ProfileName
    },
  ) {
    const ofChain = all.filter(({ profiles }) => profiles?.includes(profile) ?? true)
    const methods = ofChain.filter((method) =>
      method.development === undefined
        ? (method.dialect ?? dialect) === dialect
        : development || method.development.isOnEveryNode === true || method.dialect === dialect,
    )
    const isEnabled = ({ name }: Method) =>
      namespaces === 'all' || namespaceOf(name) === ALWAYS || namespaces.includes(namespaceOf(name))
    this.#enabled = new Map(methods.filter(isEnabled).map((method) => [method.name, method]))
    this.#disabled = new Set(methods.filter((method) => !isEnabled(method)).map(({ name }) => name))
    const names = new Set(methods.map(({ name }) => name))
    const others = ofChain.filter(({ name }) => !names.has(name))
    this.#otherProfiles = new Map(
      all.flatMap((method) => (ofChain.includes(method) ? [] : [[method.name, method.profiles!] as const])),
    )
    this.#development = new Set(others.flatMap(({ name, development }) => (development === undefined ? [] : [name])))
    this.#otherDialects = new Map(
      others.flatMap(({ name, dialect: other }) => (other === undefined ? [] : [[name, other]])),
    )
    this.#flag = flag
  }

  get descriptions(): readonly MethodDescription[] {
    this.#descriptions ??= [...this.#enabled.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return this.#descriptions
  }

  get(name: string): Method | undefined {
    return this.#enabled.get(name)
  }

  /** The error for a name that `get` does not find. */
  missing(name: string): RpcError {
    return new RpcError(RPC_CODES.methodNotFound, this.#whyMissing(name), undefined, { kind: 'unknownMethod' })
  }

  #whyMissing(name: string): string {
    if (this.#disabled.has(name)) {
      const namespace = namespaceOf(name)
      const flags = NEEDS_EXPOSURE.has(namespace) ? `${this.#flag} and --expose-debug` : this.#flag
      return `the method ${name} is not available: the namespace ${namespace} is not enabled here, see ${flags}`
    }
    const profiles = this.#otherProfiles.get(name)
    if (profiles !== undefined) {
      return `the method ${name} does not exist/is not available: chains of other profiles have it, see --profile ${profiles.join(' or ')}`
    }
    const dialect = this.#otherDialects.get(name)
    if (dialect === undefined && this.#development.has(name)) {
      return `the method ${name} is not available: methods of development nodes are not enabled here, see --expose-dev`
    }
    if (dialect !== undefined) {
      const flag = this.#development.has(name) ? `--expose-dev or --dialect ${dialect}` : `--dialect ${dialect}`
      return `the method ${name} does not exist/is not available: it is of another dialect, see ${flag}`
    }
    return `the method ${name.slice(0, 100)} does not exist/is not available`
  }
}
