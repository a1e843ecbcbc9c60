import { expect, onTestFinished, test } from 'vitest'
import { startRpcNode } from '../../../../test/support/rpc-node.ts'
import { MANUAL } from '../../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../../node/production/building/schedule.ts'

const INVALID_PARAMS = -32602

test.each([
  ['jovian', 1_000_000, [5_000, 999_999]],
  ['denim', 2_000_000, [5_000, 999_999, 1_050_000, 1_999_999]],
] as const)(
  'evm_setBlockGasLimit refuses limits below those of the opening transactions (%s)',
  async (upgrade, lowest, refused) => {
    const isDenim = upgrade === 'denim'
    const node = await startRpcNode(
      { development: true },
      { network: { upgrade }, development: { mining: MANUAL }, ...(isDenim && { schedule: DENIM_BLOCKS }) },
    )
    onTestFinished(() => node.stop())
    const failures: unknown[] = []
    node.node.events.on('failed', (error) => failures.push(error))

    for (const gasLimit of refused) {
      const { error } = await node.request('evm_setBlockGasLimit', gasLimit)
      expect(error).toMatchObject({ code: INVALID_PARAMS, message: expect.stringContaining(`below ${lowest}`) })
    }
    expect(await node.result('evm_setBlockGasLimit', lowest)).toBe(true)
    await node.result('evm_mine')

    expect(failures).toEqual([])
    const { header } = node.node.view().block({ kind: 'number', number: 1 })!.block
    expect(header.gasLimit).toBe(BigInt(lowest))
  },
)
