import { useState } from 'preact/hooks'
import { bigintOf, decimalOf, durationText, grouped } from '../../../live/amount.ts'
import { newestHeight } from '../../../live/live-feed.ts'
import { errorText } from '../../../live/request-error.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { addressFrom, upstreamOf, weiFromEther, wholeNumberFrom } from '../../model/control.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { type Fact, Facts, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { BlockLink } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { MiningPart } from './mining-part.tsx'
import { SnapshotsPart } from './snapshots-part.tsx'

/** The means of a development node: funds, blocks, time, snapshots, foreign accounts. */
export function ControlPanel() {
  const { capabilities } = useStudio()
  const found = useStore(capabilities)
  return (
    <div class="view">
      <h1>Control</h1>
      {found === undefined ? (
        <Notice>Loading …</Notice>
      ) : found.development ? (
        <div class="cards">
          <FaucetPart />
          <MiningPart />
          <TimePart />
          <SnapshotsPart />
          <ImpersonationPart />
          <ChainPart />
        </div>
      ) : (
        <Notice>
          This node does not offer the methods of development nodes. A Tickertape node offers them on loopback, or with
          --expose-dev.
        </Notice>
      )}
    </div>
  )
}

function FaucetPart() {
  const { client } = useStudio()
  const run = async ([account = '', amount = '']: readonly string[]) => {
    const address = addressFrom(account)
    const wei = weiFromEther(amount)
    await client.request('anvil_addBalance', [address, `0x${wei.toString(16)}`])
    const balance = bigintOf(await client.request('eth_getBalance', [address, 'pending']))
    return `It has ${balance === undefined ? 'more ether' : `${decimalOf(balance, 18)} ETH`} now.`
  }
  return (
    <Panel title="Faucet">
      <ActionForm
        fields={[
          { label: 'Address', placeholder: '0x…' },
          { label: 'Amount (ETH)', initial: '100' },
        ]}
        action="Add"
        run={run}
      />
    </Panel>
  )
}

/** A hundred years: dates beyond break contracts that compute with 32 bits. */
const MAX_SECONDS = 3_153_600_000

function TimePart() {
  const { client } = useStudio()
  const run = async ([text = '']: readonly string[]) => {
    const seconds = wholeNumberFrom(text, { name: 'seconds', min: 1, max: MAX_SECONDS })
    await client.request('evm_increaseTime', [seconds])
    return `The next block is ${durationText(seconds * 1_000)} further ahead.`
  }
  return (
    <Panel title="Time">
      <ActionForm fields={[{ label: 'Seconds ahead', initial: '3600' }]} action="Travel" run={run} />
    </Panel>
  )
}

function ImpersonationPart() {
  const { senders } = useStudio()
  const addresses = useStore(senders.impersonated)
  const [problem, setProblem] = useState<string>()
  const run = async ([account = '']: readonly string[]) => {
    const address = addressFrom(account)
    await senders.impersonate(address)
    return 'The node now accepts eth_sendTransaction from it, without its key, and forms of this page offer it.'
  }
  const stop = (address: string) =>
    senders.stopImpersonating(address).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(errorText(error)),
    )
  return (
    <Panel title="Impersonation">
      <ActionForm fields={[{ label: 'Address', placeholder: '0x…' }]} action="Impersonate" run={run} />
      {addresses.length > 0 && (
        <ul class="plain-list">
          {addresses.map((address) => (
            <li key={address}>
              <span class="hex wrap">{address}</span>
              <button type="button" class="link" onClick={() => void stop(address)}>
                Stop
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
    </Panel>
  )
}

function ChainPart() {
  const { client, live } = useStudio()
  const height = newestHeight(useStore(live.state))
  const loaded = useRequest('node info', () => client.request('anvil_nodeInfo'), height)
  return (
    <Panel title="Chain">
      <LoadedContent loaded={loaded}>{(info) => <Facts facts={chainFacts(info)} />}</LoadedContent>
    </Panel>
  )
}

function chainFacts(info: unknown): readonly (Fact | undefined)[] {
  const { currentBlockNumber, hardFork, environment } = (info ?? {}) as {
    currentBlockNumber?: unknown
    hardFork?: unknown
    environment?: { gasLimit?: unknown }
  }
  const fork = upstreamOf(info)
  const block = bigintOf(currentBlockNumber)
  const gasLimit = bigintOf(environment?.gasLimit)
  return [
    block === undefined
      ? undefined
      : { label: 'Newest block', value: <BlockLink id={String(block)}>{grouped(block)}</BlockLink> },
    typeof hardFork === 'string' ? { label: 'Rules', value: hardFork } : undefined,
    gasLimit === undefined ? undefined : { label: 'Gas limit', value: grouped(gasLimit) },
    {
      label: 'Fork of',
      value: fork === undefined ? 'no other chain' : `${fork.url}, block ${fork.blockNumber ?? 'unknown'}`,
    },
  ]
}
