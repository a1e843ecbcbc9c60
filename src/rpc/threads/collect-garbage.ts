import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Makes V8 collect garbage when it is called: a process that was not started with `--expose-gc` gets it this way. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  return typeof collect === 'function' ? () => void collect() : () => undefined
}
