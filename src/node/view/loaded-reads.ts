import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { type AwaitLoad, whenLoaded } from '../../state/missing-state.ts'
import type { View } from './view.ts'

/**
 * Runs a read of a view, again each time that it found something missing which another node has, and which was then
 * loaded (fork mode). Costs nothing on a chain that is no fork.
 *
 * @param read must have no effects before it fails
 * @param awaitLoad awaits a load
 */
export function readLoaded<T>(view: View, read: () => MaybePromise<T>, awaitLoad?: AwaitLoad): MaybePromise<T> {
  return view.forkBlock === undefined ? read() : whenLoaded(read, awaitLoad)
}
