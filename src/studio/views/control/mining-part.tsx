import { useState } from 'preact/hooks'
import { newestHeight } from '../../client/live-feed.ts'
import { errorText } from '../../client/request-error.ts'
import { wholeNumberFrom } from '../../model/control.ts'
import { useStore, useStudio } from '../../studio.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

const MAX_BLOCKS = 1_000

/** When blocks are made, and making some at once. */
export function MiningPart() {
  const { client, live } = useStudio()
  const height = newestHeight(useStore(live.state))
  const [changes, setChanges] = useState(0)
  const [problem, setProblem] = useState<string>()
  const automine = useRequest('automine', () => client.request('anvil_getAutomine'), `${height} ${changes}`)
  const isAutomatic = automine.kind === 'ready' && automine.value === true
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
      <label class="switch">
        <input type="checkbox" checked={isAutomatic} onChange={() => void toggle()} />
        <span>A block for each transaction</span>
      </label>
      {problem !== undefined && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
    </Panel>
  )
}
