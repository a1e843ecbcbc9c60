import { useState } from 'preact/hooks'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import { blockProduction, blockProductionText } from '../../model/block-production.ts'
import { wholeNumberFrom } from '../../model/control.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

const MAX_BLOCKS = 1_000

/** Nodes under the names of Hardhat do not have the interval. */
async function readSwitches(node: NodeRequests): Promise<{ readonly automine: unknown; readonly interval: unknown }> {
  const [automine, interval] = await Promise.all([
    node.request('anvil_getAutomine'),
    node.request('anvil_getIntervalMining').catch(() => null),
  ])
  return { automine, interval }
}

/** The modes that can be chosen, by their names in `BlockProduction`. */
const MODES = [
  ['transaction', 'for each transaction'],
  ['interval', 'at an interval'],
  ['request', 'on request only'],
] as const
type Mode = (typeof MODES)[number][0]

const MAX_SECONDS = 86_400

/** When blocks are made, and making some at once. */
export function MiningPart() {
  const { client, live } = useStudio()
  const state = useStore(live.state)
  const height = newestHeight(state)
  const now = useNow()
  const [changes, setChanges] = useState(0)
  const switches = useRequest('mining', () => readSwitches(client), `${height} ${changes}`)
  const production = switches.kind === 'ready' ? blockProduction(switches.value, state.timeline, now) : undefined
  const mine = async ([text = '']: readonly string[]) => {
    const blocks = wholeNumberFrom(text, { name: 'blocks', min: 1, max: MAX_BLOCKS })
    await client.request('anvil_mine', [`0x${blocks.toString(16)}`])
    return blocks === 1 ? 'One block was made.' : `${blocks} blocks were made.`
  }
  return (
    <Panel title="Blocks">
      <ActionForm fields={[{ label: 'Number of blocks', initial: '1' }]} action="Mine" run={mine} />
      {production !== undefined && <p class="muted after-form">Blocks are made {blockProductionText(production)}.</p>}
      {production?.kind === 'schedule' ? (
        <p class="muted">
          No method brings the schedule back, so the studio does not end it: start the node with{' '}
          <code class="nowrap">--mining auto</code> for a block for each transaction.
        </p>
      ) : (
        production && (
          <ModeChoice key={production.kind} mode={production.kind} onDone={() => setChanges((count) => count + 1)} />
        )
      )}
    </Panel>
  )
}

function ModeChoice({ mode, onDone }: { readonly mode: Mode; readonly onDone: () => void }) {
  const { client } = useStudio()
  const [chosen, setChosen] = useState<Mode>(mode)
  const run = async ([seconds = '']: readonly string[]) => {
    if (chosen === 'interval') {
      const interval = wholeNumberFrom(seconds, { name: 'seconds', min: 1, max: MAX_SECONDS })
      await client.request('evm_setIntervalMining', [interval])
    } else {
      // Anvil ends the interval with automatic mining; under the names of Hardhat both are independent.
      await client.request('evm_setIntervalMining', [0])
      await client.request('evm_setAutomine', [chosen === 'transaction'])
    }
    onDone()
    return ''
  }
  return (
    <>
      <fieldset class="choice">
        <legend>Make a block</legend>
        {MODES.map(([id, label]) => (
          <button key={id} type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
            {label}
          </button>
        ))}
      </fieldset>
      <ActionForm
        key={chosen}
        fields={chosen === 'interval' ? [{ label: 'Seconds', initial: '2' }] : []}
        action="Change the mode"
        run={run}
        isDisabled={chosen === mode && chosen !== 'interval'}
      />
    </>
  )
}
