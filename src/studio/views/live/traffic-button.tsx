import { grouped } from '../../../live/amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'

/** Starts and stops demonstration traffic, on development nodes. It ends with the page. */
export function TrafficButton() {
  const { traffic, capabilities } = useStudio()
  const isDevelopment = useStore(capabilities)?.development === true
  const { isRunning, sent, problem } = useStore(traffic.state)
  if (!isDevelopment) return null
  return (
    <>
      {problem !== undefined && (
        <span class="muted" role="alert">
          {isRunning ? 'The last one was refused' : 'The traffic ended'}: {problem}
        </span>
      )}
      {isRunning && <span class="muted">{grouped(sent)} sent</span>}
      <button
        type="button"
        aria-pressed={isRunning}
        title="Sends ether and demonstration stocks between the accounts of the node, until it is stopped or this page closes."
        onClick={() => (isRunning ? traffic.stop() : void traffic.start())}
      >
        {isRunning ? 'Stop traffic' : 'Start traffic'}
      </button>
    </>
  )
}
