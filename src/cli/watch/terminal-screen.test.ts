import { describe, expect, test } from 'vitest'
import { LineWriter } from './line-writer.ts'
import { span } from './screen-line.ts'
import { LEAVE, TerminalScreen } from './terminal-screen.ts'

/** A screen whose rows, size, timers and speed the test sets. */
function screenOf(rows: string[]) {
  const timers: (() => void)[] = []
  const drains: (() => void)[] = []
  const output = {
    columns: 20,
    rows: 5,
    writableNeedDrain: false,
    written: [] as string[],
    write(text: string) {
      this.written.push(text)
      return true
    },
    once: (_: 'drain', listener: () => void) => drains.push(listener),
  }
  const screen = new TerminalScreen(
    { hasColours: false, frameMs: 50 },
    {
      output,
      after(_, action) {
        timers.push(action)
        return () => void timers.splice(0)
      },
      draw: () => rows.map((text) => [span(text)]),
    },
  )
  /** Draws the next frame. @returns the characters that it writes */
  const frame = () => {
    output.written = []
    screen.update()
    timers.shift()?.()
    return output.written.join('')
  }
  return { screen, output, timers, drains, frame, rows }
}

describe('TerminalScreen', () => {
  test('writes all rows at first, and then those that changed', () => {
    const { screen, output, frame, rows } = screenOf(['a', 'b', 'c'])
    screen.open()
    expect(output.written.join('')).toMatch(/\[1;1H\p{Cc}\[2Ka.*\[2;1H\p{Cc}\[2Kb.*\[3;1H\p{Cc}\[2Kc/su)
    rows[1] = 'B'
    expect(frame()).toContain('\u001b[2;1H\u001b[2KB')
    rows[2] = 'C'
    expect(frame()).not.toContain('B')
    expect(frame()).toBe('')
  })

  test('draws everything again after the size changed', () => {
    const { screen, output, frame } = screenOf(['a', 'b'])
    screen.open()
    output.columns = 10
    expect(frame()).toMatch(/\[2J.*\[1;1H.*a.*\[2;1H.*b/s)
  })

  test('draws one frame for many updates', () => {
    const { screen, timers } = screenOf(['a'])
    screen.open()
    for (let count = 0; count < 100; count += 1) screen.update()
    expect(timers).toHaveLength(1)
  })

  test('waits for a slow terminal, and then draws the newest state', () => {
    const { screen, output, drains, frame, rows } = screenOf(['a'])
    screen.open()
    output.writableNeedDrain = true
    rows[0] = 'old'
    expect(frame()).toBe('')
    rows[0] = 'new'
    expect(frame()).toBe('')
    expect(drains).toHaveLength(1)
    output.writableNeedDrain = false
    drains[0]!()
    expect(output.written.join('')).toContain('new')
  })

  test('gives the terminal back once, and draws no more', () => {
    const { screen, output, frame } = screenOf(['a'])
    screen.open()
    screen.close()
    screen.close()
    expect(output.written.filter((text) => text === LEAVE)).toHaveLength(1)
    expect(frame()).toBe('')
  })
})

test('LineWriter drops lines that its reader is too slow for, and says how many', () => {
  const written: string[] = []
  const output = { writableLength: 0, write: (text: string) => written.push(text) }
  const writer = new LineWriter(output, (count) => `${count} lines missing`)
  writer.write('a')
  output.writableLength = 2_000_000
  writer.write('b')
  writer.write('c')
  output.writableLength = 0
  writer.write('d')
  expect(written).toEqual(['a\n', '2 lines missing\n', 'd\n'])
})
