/** A block's gas limit differs from its parent's by less than this part of it (yellow paper, 4.3.4). */
export const GAS_LIMIT_BOUND = 1024n
export const MIN_GAS_LIMIT = 5_000n

/**
 * The gas limit of the layer-1 block after one of `parent`, as far towards `target` as a block may go.
 *
 * @example nextGasLimit(200_000_000n, 60_000_000n) // 199804689n
 */
export function nextGasLimit(parent: bigint, target: bigint): bigint {
  const most = parent / GAS_LIMIT_BOUND - 1n
  const wanted = target < MIN_GAS_LIMIT ? MIN_GAS_LIMIT : target
  if (parent < wanted) return parent + most < wanted ? parent + most : wanted
  return parent - most > wanted ? parent - most : wanted
}
