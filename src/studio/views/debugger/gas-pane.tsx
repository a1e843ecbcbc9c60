import { useMemo, useState } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import type { FlameNode } from '../../../solidity/debugger/gas-profile.ts'
import { type FlameFrame, flameLayout, functionsByGas } from '../../model/debugger/flame-layout.ts'
import { visibleText } from '../../model/visible-text.ts'
import { Panel } from '../../widgets/layout.tsx'

/** Pixels. */
const ROW_HEIGHT = 24
const MAX_NAME = 80
const SHADES = 4
const MAX_LISTED = 12

/** Gas by function as a flame graph, and as a list that needs no pointer. Both lead to the first run of a function. */
export function GasPane(props: {
  readonly root: FlameNode
  /** Name of the current function. */
  readonly current: string
  /** Called with the first step of a run of a function. */
  readonly onGo: (firstStep: number) => void
}) {
  const { root, current, onGo } = props
  const [selected, setSelected] = useState<FlameNode>()
  const top = selected ?? root
  const frames = useMemo(() => flameLayout(top), [top])
  const functions = useMemo(() => functionsByGas(root).slice(0, MAX_LISTED), [root])
  const select = (node: FlameNode) => {
    setSelected(node === root ? undefined : node)
    onGo(node.firstStep)
  }
  const rows = frames.reduce((deepest, { depth }) => Math.max(deepest, depth), 0) + 1
  return (
    <Panel
      title="Gas by function"
      aside={
        selected === undefined ? (
          <span class="muted">{grouped(root.totalGas)} gas without what the transaction itself costs</span>
        ) : (
          <button type="button" class="link" onClick={() => setSelected(undefined)}>
            Show all functions
          </button>
        )
      }
    >
      <svg
        class="flame"
        width="100%"
        height={rows * ROW_HEIGHT}
        role="img"
        aria-label={`Flame graph: ${frames.length} functions below ${visibleText(top.name, MAX_NAME)}`}
      >
        {frames.map((frame, index) => (
          <FlameBox
            key={index}
            frame={frame}
            isCurrent={frame.node.name === current}
            share={root.totalGas > 0 ? frame.node.totalGas / root.totalGas : 0}
            onSelect={() => select(frame.node)}
          />
        ))}
      </svg>
      <table class="decoded debug-functions">
        <thead>
          <tr>
            <th>Function</th>
            <th>Runs</th>
            <th>Own gas</th>
          </tr>
        </thead>
        <tbody>
          {functions.map(({ name, runs, selfGas, firstStep }) => (
            <tr key={name}>
              <td>
                <button type="button" class="link method" onClick={() => onGo(firstStep)}>
                  {visibleText(name, MAX_NAME)}
                </button>
              </td>
              <td>{runs === 1 ? '1 run' : `${grouped(runs)} runs`}</td>
              <td>{grouped(selfGas)} gas</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function FlameBox(props: {
  readonly frame: FlameFrame
  readonly isCurrent: boolean
  /** Of the gas of the whole, from 0 to 1. */
  readonly share: number
  readonly onSelect: () => void
}) {
  const { frame, isCurrent, share, onSelect } = props
  const { node, x, width, depth } = frame
  const name = visibleText(node.name, MAX_NAME)
  return (
    // An inner drawing clips its text.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list below does the same by keyboard.
    <svg
      x={`${100 * x}%`}
      y={depth * ROW_HEIGHT}
      width={`${100 * width}%`}
      height={ROW_HEIGHT}
      class={isCurrent ? 'flame-box current' : `flame-box shade-${depth % SHADES}`}
      onClick={onSelect}
    >
      <title>
        {name}: {grouped(node.totalGas)} gas ({(100 * share).toFixed(1)} %), {grouped(node.selfGas)} of its own,{' '}
        {grouped(node.runs)} runs
      </title>
      <rect width="100%" height={ROW_HEIGHT - 1} />
      <text x="5" y="16">
        {name}
      </text>
    </svg>
  )
}
