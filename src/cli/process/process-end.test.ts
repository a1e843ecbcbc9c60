import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { exitWhenUnread, stopOnSignals } from './process-end.ts'

const log = pino({ level: 'silent' })
let exit: MockInstance<typeof process.exit>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** Sends SIGTERM to the handlers of `stopOnSignals` alone. */
function signalled(close: () => Promise<void>, options?: Parameters<typeof stopOnSignals>[2]): void {
  const handlers = new Map<string | symbol, (signal: string) => void>()
  const on = vi.spyOn(process, 'on').mockImplementation(((event: string, handler: (signal: string) => void) => {
    handlers.set(event, handler)
    return process
  }) as never)
  stopOnSignals(close, log, options)
  on.mockRestore()
  handlers.get('SIGTERM')!('SIGTERM')
}

const never = () => new Promise<void>(() => {})

test('the process exits with 1 when closing takes more than five seconds', () => {
  signalled(never)

  vi.advanceTimersByTime(4_999)
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(exit).toHaveBeenCalledWith(1)
})

test('the process waits without a limit for a state file, and exits with 0', async () => {
  let written: () => void = () => {}
  signalled(() => new Promise((resolve) => (written = resolve)), { isLimited: () => false })

  vi.advanceTimersByTime(600_000)
  expect(exit).not.toHaveBeenCalled()

  written()
  await Promise.resolve()
  expect(exit).toHaveBeenCalledWith(0)
})

test.each([
  ['exec', 1],
  [undefined, 0],
] as const)('a program with npm_command=%s closes %i times when its parent ends', (command, closed) => {
  vi.stubEnv('npm_command', command)
  const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(4_000)
  vi.spyOn(process, 'on').mockReturnValue(process)
  const close = vi.fn(never)
  stopOnSignals(close, log)

  vi.advanceTimersByTime(1_000)
  expect(close).not.toHaveBeenCalled()
  parent.mockReturnValue(1)
  vi.advanceTimersByTime(2_000)

  expect(close).toHaveBeenCalledTimes(closed)
})

test('a command exits with 0 when the reader of its output ends', async () => {
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(), { code: 'EPIPE' })),
  })
  exitWhenUnread(output)

  await new Promise((resolve) => output.once('close', resolve).write('a line'))

  expect(exit).toHaveBeenCalledWith(0)
})
