import { useState } from 'preact/hooks'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { REGISTRY_ADDRESS } from '../../../live/names/known-addresses.ts'
import { ROLE_IDS } from '../../../live/names/roles.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { CANCEL_FORM, RULE_FORMS } from '../../model/stock/rule-forms.ts'
import { PAUSER_ROLE, stockInput, stockOutput } from '../../model/stock/stock-contract.ts'
import type { StockFacts } from '../../model/stock/stock-facts.ts'
import { SUPPLY_FORMS } from '../../model/stock/supply-forms.ts'
import { LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { SenderChoice } from '../sender-choice.tsx'
import { WalletPart } from '../wallet-part.tsx'
import { StockActionForm } from './stock-action-form.tsx'

const FORMS = [...SUPPLY_FORMS, ...RULE_FORMS]

/** Corporate actions as forms, each with the command that does the same. @param onDone called after an inclusion */
export function StockActions({ stock, onDone }: { readonly stock: StockFacts; readonly onDone: () => void }) {
  const { client, senders } = useStudio()
  const accounts = useStore(senders.accounts)
  const [chosen, setChosen] = useState<string>()
  // The chosen one may have been disconnected, or its impersonation ended.
  const preferred = accounts.find((account) => account === chosen)
  const all = stock.scheduled === undefined ? FORMS : [CANCEL_FORM, ...FORMS]
  const forms = all.filter(({ isFor }) => isFor?.(stock) ?? true)
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
  stock: string,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = accounts.slice(0, MAX_ACCOUNTS)
  const roles = Object.entries(ROLE_IDS).map(([name, role]) => ({ name, role, to: stock }))
  const entries = [...roles, { name: 'PAUSER_ROLE', role: PAUSER_ROLE, to: REGISTRY_ADDRESS }].map(async (one) => {
    const { name, role, to } = one
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
