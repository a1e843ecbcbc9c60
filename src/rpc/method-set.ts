import { RPC_CODES, RpcError } from './errors.ts'
import type { Method } from './method.ts'
import { describeMethods, type MethodDescription } from './method-description.ts'
import { type EnabledMethods, type Namespaces, namespaceOf } from './namespaces.ts'

/** There wherever anything is, so that clients can ask what else there is (go-ethereum). */
const ALWAYS = 'rpc'

/** The methods that one transport has. */
export class MethodSet implements EnabledMethods {
  readonly #enabled: ReadonlyMap<string, Method>
  readonly #disabled: ReadonlySet<string>
  readonly #flag: string
  #descriptions: readonly MethodDescription[] | undefined

  /** @param options.flag what enables namespaces, for the message about those that are not */
  constructor(
    methods: readonly Method[],
    { namespaces, flag }: { readonly namespaces: Namespaces; readonly flag: string },
  ) {
    const isEnabled = ({ name }: Method) =>
      namespaces === 'all' || namespaceOf(name) === ALWAYS || namespaces.includes(namespaceOf(name))
    this.#enabled = new Map(methods.filter(isEnabled).map((method) => [method.name, method]))
    this.#disabled = new Set(methods.filter((method) => !isEnabled(method)).map(({ name }) => name))
    this.#flag = flag
  }

  get descriptions(): readonly MethodDescription[] {
    this.#descriptions ??= describeMethods(this.#enabled.values())
    return this.#descriptions
  }

  get(name: string): Method | undefined {
    return this.#enabled.get(name)
  }

  /** What is answered to a name that `get` does not find. */
  missing(name: string): RpcError {
    const message = this.#disabled.has(name)
      ? `the method ${name} is not available: the namespace ${namespaceOf(name)} is not enabled here, see ${this.#flag}`
      : `the method ${name.slice(0, 100)} does not exist/is not available`
    return new RpcError(RPC_CODES.methodNotFound, message)
  }
}
