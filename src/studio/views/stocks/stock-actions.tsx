import { useState } from 'preact/hooks'
import { useStore, useStudio } from '../../client/studio.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { CANCEL_FORM, formCommand, STOCK_FORMS, type StockForm } from '../../model/stock/stock-form.ts'
import { ActionForm } from '../../widgets/action-form.tsx'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { CopyButton, TransactionLink } from '../../widgets/text.tsx'
import { failureText } from '../failure-text.ts'
import { SenderChoice } from '../sender-choice.tsx'
import { WalletPart } from '../wallet-part.tsx'

/** Corporate actions as forms, each with the command that does the same. @param onDone called after an inclusion */
export function StockActions({ stock, onDone }: { readonly stock: StockFacts; readonly onDone: () => void }) {
  const { senders } = useStudio()
  const accounts = useStore(senders.accounts)
  const [chosen, setChosen] = useState<string>()
  // The chosen one may have been disconnected, or its impersonation ended.
  const sender = accounts.find((account) => account === chosen) ?? accounts[0]
  const forms = stock.scheduled === undefined ? STOCK_FORMS : [CANCEL_FORM, ...STOCK_FORMS]
  return (
    <>
      <Panel title="Sender">
        {sender === undefined ? (
          <Notice>
            This node manages no accounts, so it cannot sign: connect a wallet, or use the commands with the key of an
            account that has the role.
          </Notice>
        ) : (
          <SenderChoice accounts={accounts} sender={sender} onChoice={setChosen} />
        )}
      </Panel>
      <WalletPart />
      <div class="cards">
        {forms.map((form) => (
          <StockActionForm key={form.title} form={form} stock={stock} sender={sender} onDone={onDone} />
        ))}
      </div>
    </>
  )
}

function StockActionForm(props: {
  readonly form: StockForm
  readonly stock: StockFacts
  readonly sender: string | undefined
  readonly onDone: () => void
}) {
  const { form, stock, sender, onDone } = props
  const { client, senders, abis, names } = useStudio()
  const meaning = { names: useStore(names), token: stock.address }
  const context = { url: client.endpoint.http, sender: sender ?? '' }
  const run = async (texts: readonly string[]) => {
    if (sender === undefined) throw new Error('The node has no account that could send it.')
    const data = form.input(texts, stock, sender, stock.blockTime)
    const hash = await senders.send(sender, { to: stock.address, data }).catch((error: unknown) => {
      throw new Error(failureText(abis.state.value.book, error, meaning))
    })
    await senders.included(hash)
    onDone()
    return (
      <>
        Sent: <TransactionLink hash={hash} />
      </>
    )
  }
  return (
    <Panel title={form.title}>
      <ActionForm
        fields={form.fields}
        action={form.action}
        run={run}
        isDisabled={sender === undefined}
        note={(texts) => <Command text={formCommand(form, texts, stock, context)} />}
      />
    </Panel>
  )
}

function Command({ text }: { readonly text: string }) {
  return (
    <span class="command">
      <code class="hex wrap">{text}</code>
      <CopyButton text={text} label="command" />
    </span>
  )
}
