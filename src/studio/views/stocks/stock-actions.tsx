import { useState } from 'preact/hooks'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { ROLE_IDS } from '../../../live/names/roles.ts'
import { errorText } from '../../../live/request-error.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { stockInput, stockOutput } from '../../model/stock/stock-contract.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { CANCEL_FORM, formCommand, STOCK_FORMS, type StockForm } from '../../model/stock/stock-form.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { failureText } from '../failure-text.ts'
import { SenderChoice } from '../sender-choice.tsx'
import { SentTransaction } from '../sent-transaction.tsx'
import { WalletPart } from '../wallet-part.tsx'

/** Corporate actions as forms, each with the command that does the same. @param onDone called after an inclusion */
export function StockActions({ stock, onDone }: { readonly stock: StockFacts; readonly onDone: () => void }) {
  const { client, senders } = useStudio()
  const accounts = useStore(senders.accounts)
  const [chosen, setChosen] = useState<string>()
  // The chosen one may have been disconnected, or its impersonation ended.
  const preferred = accounts.find((account) => account === chosen)
  const forms = stock.scheduled === undefined ? STOCK_FORMS : [CANCEL_FORM, ...STOCK_FORMS]
  const load = () => readRoles(client, stock.address, accounts)
  const roles = useRequest(`${stock.address} ${accounts.join()}`, load, stock.blockTime)
  return (
    <>
      <Panel title="Sender">
        {accounts.length === 0 ? (
          <Notice>
            This node manages no accounts, so it cannot sign: connect a wallet, or use the commands with the key of an
            account that has the role.
          </Notice>
        ) : (
          <SenderChoice accounts={accounts} sender={preferred ?? accounts[0]!} onChoice={setChosen} />
        )}
        <p class="explanation">
          Each action is sent from this account if it has the role, or else from the first account that has it.
        </p>
      </Panel>
      <WalletPart />
      <LoadedContent loaded={roles}>
        {(holders) => (
          <div class="cards">
            {forms.map((form) => (
              <StockActionForm
                key={form.title}
                form={form}
                stock={stock}
                sender={senderOf(holders.get(form.role) ?? [], preferred)}
                onDone={onDone}
              />
            ))}
          </div>
        )}
      </LoadedContent>
    </>
  )
}

/** Accounts that are asked for their roles. */
const MAX_ACCOUNTS = 20

/** The accounts that have each role, by the name of the role. */
async function readRoles(
  node: NodeRequests,
  to: string,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = accounts.slice(0, MAX_ACCOUNTS)
  const entries = Object.entries(ROLE_IDS).map(async ([name, role]) => {
    const has = await Promise.all(
      asked.map(async (account) => {
        const call = { to, data: stockInput('hasRole', [role, account]) }
        const output = await node.request('eth_call', [call, 'pending']).catch(() => undefined)
        return stockOutput('hasRole', output) === true
      }),
    )
    return [name, asked.filter((_, position) => has[position])] as const
  })
  return new Map(await Promise.all(entries))
}

function senderOf(holders: readonly string[], preferred: string | undefined): string | undefined {
  return holders.find((account) => account === preferred) ?? holders[0]
}

interface ActionProps {
  readonly form: StockForm
  readonly stock: StockFacts
  /** `undefined`: no account that can send has the role. */
  readonly sender: string | undefined
  readonly onDone: () => void
}

function StockActionForm({ form, stock, sender, onDone }: ActionProps) {
  const { client, senders, abis, names } = useStudio()
  const known = useStore(names)
  const meaning = { names: known, token: stock.address }
  const context = { url: client.endpoint.http, sender: sender ?? '' }
  const reason = obstacleOf(form, stock, sender)
  const run = async (texts: readonly string[]) => {
    if (sender === undefined) throw new Error(reason)
    const data = form.input(texts, stock, sender, stock.blockTime)
    const hash = await senders.send(sender, { to: stock.address, data }).catch((error: unknown) => {
      throw new Error(failureText(abis.state.value.book, error, meaning))
    })
    await senders.included(hash)
    onDone()
    return <SentTransaction hash={hash} />
  }
  return (
    <Panel
      title={form.title}
      aside={sender !== undefined && <span class="muted">by {known.of(sender)?.name ?? sender}</span>}
    >
      <ActionForm
        fields={form.fields}
        action={form.action}
        run={run}
        isDisabled={reason !== undefined}
        note={(texts) => (
          <>
            {reason !== undefined && <p class="obstacle">{reason}</p>}
            <Preview text={previewOf(form, texts, stock)} />
            <Command text={formCommand(form, texts, stock, context)} />
          </>
        )}
      />
    </Panel>
  )
}

/** Why the contract would refuse whatever is filled in. */
function obstacleOf(form: StockForm, { pausedFeatures }: StockFacts, sender: string | undefined): string | undefined {
  if (sender === undefined) return `No account that can send has ${form.role}: connect a wallet, or grant the role.`
  const isPaused = form.feature !== undefined && pausedFeatures.includes(form.feature)
  return isPaused ? `The feature ${form.feature} is paused (ContractPaused): unpause it first.` : undefined
}

function previewOf({ preview }: StockForm, texts: readonly string[], stock: StockFacts): string | undefined {
  try {
    return preview?.(texts, stock)
  } catch (error) {
    return errorText(error)
  }
}

function Preview({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p class="preview">{text}</p>
}

function Command({ text }: { readonly text: string }) {
  return (
    <span class="command">
      <code class="hex wrap">{text}</code>
      <CopyButton text={text} label="command" />
    </span>
  )
}
