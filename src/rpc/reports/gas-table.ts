import type { ContractGas, DeploymentGas, FunctionGas, GasReportResult } from './gas-report.ts'

const TITLES = ['', 'calls', 'reverted', 'min', 'mean', 'median', 'max']
const NO_GAS = ['', '', '', '']

/** A gas report as text: a table for each contract. Names are untrusted: escape them before printing. */
export function gasTable({ contracts, transactions, failedDeployments, incomplete }: GasReportResult): string {
  const tables = contracts.map(contractTable)
  const failed = failedDeployments === 0 ? '' : `, ${counted(failedDeployments, 'failed deployment')}`
  const notes = [
    `${counted(transactions, 'transaction')}${failed}`,
    ...(incomplete === undefined ? [] : [`transactions are missing: ${incomplete}`]),
  ]
  return `${[...tables, notes.join('\n')].join('\n\n')}\n`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function contractTable({ contract, addresses, deployments, functions }: ContractGas): string {
  const [first, ...others] = addresses
  const where = `${first}${others.length === 0 ? '' : ` and ${others.length} more`}`
  const rows = [
    ...(deployments === undefined ? [] : [deploymentRow(deployments)]),
    ...functions.map((called) => functionRow(called)),
  ]
  const heading = `${contract ?? 'unknown contract'} (${where})`
  return [heading, ...aligned([TITLES, ...rows]), ...(deployments === undefined ? [] : [sizeLine(deployments)])].join(
    '\n',
  )
}

function deploymentRow({ count, gas: { min, mean, median, max } }: DeploymentGas): readonly string[] {
  return ['deployment', ...[count, 0, min, mean, median, max].map(String)]
}

function functionRow({ function: name, selector, calls, reverted, gas }: FunctionGas): readonly string[] {
  const shown = name === undefined || name === 'fallback' ? `${name ?? 'unknown'} ${selector}` : name
  const amounts = gas === undefined ? NO_GAS : [gas.min, gas.mean, gas.median, gas.max].map(String)
  return [shown, `${calls}`, `${reverted}`, ...amounts]
}

function sizeLine({ codeBytes, initCodeBytes }: DeploymentGas): string {
  return `  code ${codeBytes} bytes, creation code with arguments ${initCodeBytes} bytes`
}

/** The first column is text, the others are numbers. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    return `  ${cells.join('  ').trimEnd()}`
  })
}
