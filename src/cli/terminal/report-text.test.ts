import { expect, test } from 'vitest'
import { toAddress } from '../../primitives/hex.ts'
import { callText, NO_COLOURS } from './report-text.ts'

const ADDRESS = toAddress(`0x${'00'.repeat(18)}beef`)
/** Clears the screen, returns to the start of the line, and reverses the writing direction. */
const HOSTILE = 'hello\u001b[2J\u009b1A\rworld\u202e'
const SHOWN = 'hello\ufffd[2J\ufffd1A\ufffdworld\ufffd'

test('characters that control a terminal are shown as U+FFFD, wherever a contract or an artifact chose the text', () => {
  const text = callText(
    {
      request: 'eth_call',
      method: HOSTILE,
      from: ADDRESS,
      to: ADDRESS,
      contract: HOSTILE,
      execution: {
        console: [`${HOSTILE}\nsecond line`],
        failure: {
          reason: `reverted: ${HOSTILE}\nTransaction forged`,
          trace: [{ depth: 0, address: ADDRESS, contract: HOSTILE, function: HOSTILE }],
        },
      },
    },
    NO_COLOURS,
  )

  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
  expect(text.split(SHOWN)).toHaveLength(7)
  expect(text).toContain('\n    second line\n')
  expect(text).toContain(`reverted: ${SHOWN}\ufffdTransaction forged\n`)
})
