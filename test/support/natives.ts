import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Asks V8 itself, as `--allow-natives-syntax` lets programs do; a text is only read when it is run. */
function request(call: string, values: readonly unknown[]): boolean {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return runInNewContext(`(a, b) => ${call}`)(...values)
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
}

/** Whether V8 reads both with the same code. */
export function haveOneHiddenClass(a: object, b: object): boolean {
  return request('%HaveSameMap(a, b)', [a, b])
}

/** Whether V8 reckons with places of an array where nothing is. */
export function isHoley(array: readonly unknown[]): boolean {
  return request('%HasHoleyElements(a)', [array])
}
