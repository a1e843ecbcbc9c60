import { describe, expect, test, vi } from 'vitest'
import type { MeasuredProject } from '../../../../test/support/measured-project.ts'
import { contractIn, functionIn, gasReport, measuredScene } from '../../../../test/support/measured-reports.ts'
import { AUTO, FLASHBLOCKS } from '../../../node/development/mining-mode.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'

/** Calls `during` when the next execution begins to replay a block, and delays the replay until that ends. */
function whileReplaying({ node }: MeasuredProject, during: () => Promise<unknown>): void {
  const { engine } = node.node
  const open = engine.open.bind(engine)
  vi.spyOn(engine, 'open').mockImplementationOnce((...given) => {
    const session = open(...given)
    const execute = session.execute.bind(session)
    const ended = during()
    session.execute = async (...transaction) => {
      await ended
      return execute(...transaction)
    }
    return session
  })
}

describe.each([AUTO, FLASHBLOCKS])('a started report with blocks $kind', (mining) => {
  test('keeps what reverts, rollbacks and reorganizations remove, and counts each transaction once', async () => {
    const { project, meter } = await measuredScene({ mining })
    const { node } = project
    const add = () => project.call(meter, 'Meter', 'add', [1n])
    const seal = async () => {
      if (!node.node.isOnDemand) await node.nextBlock()
    }
    await add()
    await seal()
    await node.result('tickertape_startReport')
    const calls = async () => {
      const report = await gasReport(project)
      expect(report.incomplete).toBeUndefined()
      return report.contracts.length === 0 ? 0 : functionIn(report, 'Meter', 'add(uint256)').calls
    }
    expect(await calls()).toBe(0)

    const snapshot = await node.result('evm_snapshot')
    await add()
    await add()
    expect(await calls()).toBe(2)
    await node.result('evm_revert', snapshot)
    expect(await calls()).toBe(2)
    await add()
    await seal()
    await node.result('anvil_rollback', 1)
    await add()
    await seal()
    await node.result('anvil_reorg', 1, [])
    await add()
    await node.result('debug_setHead', '0x2')
    expect(await node.result('evm_revert', '0x77')).toBe(false)
    expect(await calls()).toBe(5)

    expect(await node.result('tickertape_stopReport')).toBe(true)
    expect((await gasReport(project)).transactions).toBe(mining === AUTO ? 2 : 3)
  })
})

describe('a started report', () => {
  const flashblocks = async () => {
    const { project, meter } = await measuredScene({ mining: FLASHBLOCKS })
    await project.node.nextBlock()
    await project.node.result('tickertape_startReport')
    const add = () => project.call(meter, 'Meter', 'add', [1n])
    const calls = async () => functionIn(await gasReport(project), 'Meter', 'add(uint256)').calls
    return { node: project.node, project, add, calls }
  }

  test('counts transactions once whose block is sealed during a refused removal', async () => {
    const { node, add, calls } = await flashblocks()
    await add()
    const setHead = node.node.setHead.bind(node.node)
    vi.spyOn(node.node, 'setHead').mockImplementationOnce(async (number) => {
      await node.nextBlock()
      return setHead(number)
    })

    const { error } = await node.request('debug_setHead', '0x99')

    expect(error).toBeDefined()
    expect(await calls()).toBe(1)
  })

  test('keeps transactions that are included while a revert waits for the replay', async () => {
    const { node, project, add, calls } = await flashblocks()
    const snapshot = await node.result('evm_snapshot')
    await add()
    whileReplaying(project, add)

    await node.result('evm_revert', snapshot)

    expect(await calls()).toBe(2)
  })

  test('begins after a revert that runs when it is started', async () => {
    const { node, project, add, calls } = await flashblocks()
    const snapshot = await node.result('evm_snapshot')
    await add()
    let starting: Promise<unknown> | undefined
    whileReplaying(project, async () => {
      starting = node.result('tickertape_startReport')
    })
    await node.result('evm_revert', snapshot)
    await starting

    await add()

    expect(await calls()).toBe(1)
  })

  test('resumes after a read that failed, and counts each transaction once', async () => {
    const { node, project, add, calls } = await flashblocks()
    await add()
    await node.nextBlock()
    await add()
    const { engine } = node.node
    const open = engine.open.bind(engine)
    vi.spyOn(engine, 'open')
      .mockImplementationOnce(open)
      .mockImplementationOnce(() => {
        throw new RpcError(RPC_CODES.server, 'the state cannot be read')
      })

    const failed = await node.request('tickertape_gasReport')

    expect(failed.error?.message).toBe('the state cannot be read')
    expect(await calls()).toBe(2)
    expect(await gasReport(project)).toMatchObject({ transactions: 2 })
    expect(await gasReport(project)).not.toHaveProperty('incomplete')
  })

  test('names contracts that a revert removes', async () => {
    const { project, name, meter } = await measuredScene()
    await project.node.result('tickertape_startReport', { coverage: false })
    const snapshot = await project.node.result('evm_snapshot')
    name(await project.deploy('Caller', [meter]), 'Caller')

    await project.node.result('evm_revert', snapshot)

    expect(contractIn(await gasReport(project), 'Caller').deployments?.count).toBe(1)
    const refused = await project.node.request('tickertape_coverage')
    expect(refused.error?.message).toContain('start them again with {"coverage": true}')
  })

  test('says when transactions are missing, and does not hold up the revert', async () => {
    const { project, meter } = await measuredScene({ options: { maxTraceBytes: 1_024 } })
    await project.node.result('tickertape_startReport')
    const snapshot = await project.node.result('evm_snapshot')
    await project.call(meter, 'Meter', 'add', [1n])

    expect(await project.node.result('evm_revert', snapshot)).toBe(true)

    expect((await gasReport(project)).incomplete).toContain('larger than 1024 bytes')
  })
})
