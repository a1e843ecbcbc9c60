import { bigintOf, decimalOf, shortHex } from '../../../live/amount.ts'
import { addressFrom } from '../control.ts'
import { capFrom, capText, given, memoFrom, unitsFrom } from './form-fields.ts'
import { stockInput, stockOutput } from './stock-contract.ts'
import type { StockFacts } from './stock-facts.ts'
import type { StockForm } from './stock-form.ts'

/** Actions that change how many tokens there are, how many there may be, and who holds them. */
export const SUPPLY_FORMS: readonly StockForm[] = [
  {
    title: 'Issue',
    action: 'Issue',
    role: 'MINT_ROLE',
    feature: 'mint',
    fields: [
      { label: 'Amount', placeholder: '1000.5' },
      { label: 'Recipient', placeholder: 'the sender' },
    ],
    preview: ([amount = ''], stock) => {
      const { cap, supply, decimals } = stock
      if (amount.trim() !== '' && cap !== undefined && supply + unitsFrom(amount, decimals) > cap) {
        throw new Error(`That is above the cap of ${capText(cap, decimals)}: raise the cap first.`)
      }
      return supplyPreview(amount, stock, 1n)
    },
    args: ([amount = '', to = ''], stock) => [
      'mint',
      given(amount, 'amount'),
      stock,
      ...(to === '' ? [] : ['--to', to]),
    ],
    input: ([amount = '', to = ''], { decimals }, sender) =>
      stockInput('mint', [to.trim() === '' ? sender : addressFrom(to), unitsFrom(amount, decimals)]),
  },
  {
    title: 'Redeem',
    action: 'Redeem',
    role: 'BURN_ROLE',
    feature: 'burn',
    fields: [{ label: 'Amount of the sender', placeholder: '250' }],
    reads: (_, sender) => [stockInput('balanceOf', [sender])],
    preview: ([amount = ''], stock, [output]) => {
      const balance = balanceOf(output)
      if (amount.trim() !== '' && balance !== undefined && unitsFrom(amount, stock.decimals) > balance) {
        throw new Error(`The sender has ${decimalOf(balance, stock.decimals)} tokens, not more.`)
      }
      return supplyPreview(amount, stock, -1n)
    },
    args: ([amount = ''], stock) => ['burn', given(amount, 'amount'), stock],
    input: ([amount = ''], { decimals }) => stockInput('burn', [unitsFrom(amount, decimals)]),
  },
  {
    title: 'Set the cap',
    action: 'Set the cap',
    role: 'DEFAULT_ADMIN_ROLE',
    isFor: ({ hasCap }) => hasCap,
    fields: [{ label: 'Cap in tokens, or none', placeholder: '5000000' }],
    preview: ([text = ''], { cap, supply, decimals }) => {
      if (text.trim() === '') return undefined
      const after = capFrom(text, decimals)
      if (after < supply) throw new Error(`The supply is ${decimalOf(supply, decimals)} tokens: a cap is not below it.`)
      return `Cap ${capText(cap, decimals)} → ${capText(after, decimals)}`
    },
    args: ([cap = ''], stock) => ['set-cap', given(cap, 'cap'), stock],
    input: ([text = ''], { decimals }) => {
      if (text.trim() === '') throw new Error('Write a cap in tokens, or none.')
      return stockInput('updateSupplyCap', [capFrom(text, decimals)])
    },
  },
  {
    title: 'Seize',
    action: 'Seize',
    role: 'SEIZE_ROLE',
    feature: 'seize',
    isFor: ({ canSeize }) => canSeize,
    fields: [
      { label: 'Amount', placeholder: '10' },
      { label: 'Of the account', placeholder: '0x…' },
      { label: 'Recipient', placeholder: 'the sender' },
      { label: 'Memo', placeholder: 'case 7' },
    ],
    reads: ([, from = '', to = ''], sender) =>
      from.trim() === ''
        ? []
        : [from, to.trim() === '' ? sender : to].map((account) => stockInput('balanceOf', [addressFrom(account)])),
    preview: ([amount = '', from = '', to = ''], { decimals }, outputs) => {
      const [source, target] = outputs.map(balanceOf)
      if (amount.trim() === '' || source === undefined || target === undefined) return undefined
      const units = unitsFrom(amount, decimals)
      if (units > source) throw new Error(`The account has ${decimalOf(source, decimals)} tokens, not more.`)
      const change = (before: bigint, after: bigint) => `${decimalOf(before, decimals)} → ${decimalOf(after, decimals)}`
      const recipient = to.trim() === '' ? 'the sender' : shortHex(to.trim(), 4)
      return (
        `${shortHex(from.trim(), 4)} ${change(source, source - units)} tokens, ` +
        `${recipient} ${change(target, target + units)} tokens`
      )
    },
    args: ([amount = '', from = '', to = '', memo = ''], stock) => [
      'seize',
      given(amount, 'amount'),
      stock,
      '--from',
      given(from, 'account'),
      ...(to === '' ? [] : ['--to', to]),
      ...(memo === '' ? [] : ['--memo', memo]),
    ],
    input: ([amount = '', from = '', to = '', memo = ''], { decimals }, sender) =>
      stockInput('seizeWithMemo', [
        addressFrom(from),
        to.trim() === '' ? sender : addressFrom(to),
        unitsFrom(amount, decimals),
        memoFrom(memo.trim()),
      ]),
  },
]

function supplyPreview(text: string, { supply, decimals }: StockFacts, sign: 1n | -1n): string | undefined {
  if (text.trim() === '') return undefined
  const after = supply + sign * unitsFrom(text, decimals)
  if (after < 0n) throw new Error('That is more than the whole supply.')
  return `Supply ${decimalOf(supply, decimals)} → ${decimalOf(after, decimals)} tokens`
}

function balanceOf(output: unknown): bigint | undefined {
  return bigintOf(stockOutput('balanceOf', output))
}
