import { useState } from 'preact/hooks'
import { errorText } from '../../live/request-error.ts'
import { useStore, useStudio } from '../client/studio.ts'
import type { Wallet } from '../client/wallets.ts'
import { type ActionOutcome, OutcomeText } from '../widgets/action-form.tsx'
import { Notice, Panel } from '../widgets/layout.tsx'
import { AddressText } from '../widgets/text.tsx'
import { useSingleRun } from '../widgets/use-single-run.ts'

/**
 * Wallets of the browser, to connect and to add the network of the node to. Nothing in a browser without wallets whose
 * node has accounts.
 */
export function WalletPart() {
  const { wallets, senders } = useStudio()
  const found = useStore(wallets.found)
  const accounts = useStore(senders.accounts)
  if (found.length === 0 && accounts.length > 0) return null
  return (
    <Panel title="Wallets">
      {found.length === 0 ? (
        <Notice>No wallet of this browser has announced itself (EIP-6963).</Notice>
      ) : (
        found.map((wallet) => <WalletRow key={wallet.uuid} wallet={wallet} />)
      )}
    </Panel>
  )
}

function WalletRow({ wallet }: { readonly wallet: Wallet }) {
  const { client, wallets, capabilities } = useStudio()
  const chainId = useStore(capabilities)?.chainId
  const [outcome, setOutcome] = useState<ActionOutcome>()
  const single = useSingleRun()
  const { uuid, name, accounts } = wallet
  const attempt = (action: () => Promise<string | undefined>) =>
    single.run(async () => {
      try {
        const content = await action()
        setOutcome(content === undefined ? undefined : { content, isProblem: false })
      } catch (error) {
        setOutcome({ content: errorText(error), isProblem: true })
      }
    })
  const connect = async () => {
    await wallets.connect(uuid)
    return undefined
  }
  const addNetwork = async () => {
    const rpcUrl = client.endpoint.http
    await wallets.addNetwork(uuid, { chainId: chainId!, name: `Chain ${chainId} at ${new URL(rpcUrl).host}`, rpcUrl })
    return `${name} has chain ${chainId} now.`
  }
  return (
    <div class="wallet">
      <strong>{name}</strong>
      {accounts.map((account) => (
        <AddressText key={account} address={account} />
      ))}
      <div class="buttons">
        {accounts.length === 0 && (
          <button type="button" disabled={single.isBusy} onClick={() => void attempt(connect)}>
            Connect<span class="visually-hidden"> {name}</span>
          </button>
        )}
        <button
          type="button"
          disabled={single.isBusy || chainId === undefined}
          onClick={() => void attempt(addNetwork)}
        >
          Add network<span class="visually-hidden"> to {name}</span>
        </button>
      </div>
      <OutcomeText outcome={outcome} />
    </div>
  )
}
