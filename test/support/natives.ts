import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Calls a V8 intrinsic (`--allow-natives-syntax`); the text is compiled only when it runs. */
function request(call: string, values: readonly unknown[]): boolean {
  setFlagsFromString('--allow-natives-syntax')
  try {
    return runInNewContext(`(a, b) => ${call}`)(...values)
  } finally {
    setFlagsFromString('--no-allow-natives-syntax')
  }
}

/** Whether two objects share a hidden class. */
export function haveOneHiddenClass(a: object, b: object): boolean {
  return request('%HaveSameMap(a, b)', [a, b])
}

/** Whether V8 treats an array as holey. */
export function isHoley(array: readonly unknown[]): boolean {
  return request('%HasHoleyElements(a)', [array])
}
