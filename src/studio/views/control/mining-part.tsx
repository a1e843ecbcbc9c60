import { useState } from 'preact/hooks'
import { newestHeight } from '../../../live/live-feed.ts'
import { errorText } from '../../../live/request-error.ts'
import { blockProduction, blockProductionText } from '../../model/block-production.ts'
import { wholeNumberFrom } from '../../model/control.ts'
import { useNow, useStore, useStudio } from '../../studio.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

const MAX_BLOCKS = 1_000

interface Node {
  request(method: string): Promise<unknown>
}

/** Nodes under the names of Hardhat do not have the interval. */
async function readSwitches(node: Node): Promise<{ readonly automine: unknown; readonly interval: unknown }> {
  const [automine, interval] = await Promise.all([
    node.request('anvil_getAutomine'),
    node.request('anvil_getIntervalMining').catch(() => null),
  ])
  return { automine, interval }
}

/** When blocks are made, and making some at once. */
export function MiningPart() {
  const { client, live } = useStudio()
  const state = useStore(live.state)
  const height = newestHeight(state)
  const now = useNow()
  const [changes, setChanges] = useState(0)
  const [problem, setProblem] = useState<string>()
  const switches = useRequest('mining', () => readSwitches(client), `${height} ${changes}`)
  const production = switches.kind === 'ready' ? blockProduction(switches.value, state.timeline, now) : undefined
  const isAutomatic = production?.kind === 'transaction'
  const isScheduled = production?.kind === 'schedule'
  const mine = async ([text = '']: readonly string[]) => {
    const blocks = wholeNumberFrom(text, { name: 'blocks', min: 1, max: MAX_BLOCKS })
    await client.request('anvil_mine', [`0x${blocks.toString(16)}`])
    return blocks === 1 ? 'One block was made.' : `${blocks} blocks were made.`
  }
  const toggle = async () => {
    try {
      await client.request('evm_setAutomine', [!isAutomatic])
      setProblem(undefined)
    } catch (error) {
      setProblem(errorText(error))
    }
    setChanges((count) => count + 1)
  }
  return (
    <Panel title="Blocks">
      <ActionForm fields={[{ label: 'Number of blocks', initial: '1' }]} action="Mine" run={mine} />
      {production !== undefined && <p class="muted">Blocks are made {blockProductionText(production)}.</p>}
      <label class="switch">
        <input
          type="checkbox"
          checked={isAutomatic}
          disabled={production === undefined || isScheduled}
          onChange={() => void toggle()}
        />
        <span>A block for each transaction</span>
      </label>
      {isScheduled && (
        <p class="muted">
          No method brings the schedule back, so the studio does not end it: start the node with --mining auto for a
          block for each transaction.
        </p>
      )}
      {problem !== undefined && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
    </Panel>
  )
}
