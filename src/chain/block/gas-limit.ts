/** The gas limits of parent and child differ by less than parent / 1024 (Yellow Paper, 4.3.4). */
export const GAS_LIMIT_BOUND = 1024n
export const MIN_GAS_LIMIT = 5_000n

/**
 * The gas limit of the layer-1 block after one of `parent`: as close to `target` as the rules allow.
 *
 * @example nextGasLimit(200_000_000n, 60_000_000n) // 199804689n
 */
export function nextGasLimit(parent: bigint, target: bigint): bigint {
  const most = parent / GAS_LIMIT_BOUND - 1n
  const wanted = target < MIN_GAS_LIMIT ? MIN_GAS_LIMIT : target
  if (parent < wanted) return parent + most < wanted ? parent + most : wanted
  return parent - most > wanted ? parent - most : wanted
}
