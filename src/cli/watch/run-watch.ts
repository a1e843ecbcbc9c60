import { nodeAddressOf } from '../../live/node-address.ts'
import { redactedUrl } from '../../primitives/text/url-credentials.ts'
import { eventJson, eventLine } from './event-output.ts'
import { LineWriter } from './line-writer.ts'
import { NODE_ACCESS } from './node-access.ts'
import { LEAVE, TerminalScreen } from './terminal-screen.ts'
import { onWatchEvents } from './watch-events.ts'
import { watchScreen } from './watch-screen.ts'
import { WatchSession } from './watch-session.ts'

export interface WatchOptions {
  /** HTTP or WebSocket address; http if no protocol is named. */
  readonly url: string
  /** Address of the WebSocket where it differs by more than the protocol. */
  readonly wsUrl: string | undefined
  /** A line of JSON per event. */
  readonly json: boolean
  /** Lines although standard output is a terminal. */
  readonly lines: boolean
  /** Sealed blocks after which it ends. */
  readonly blocks: number | undefined
  /**
   * Milliseconds until the node must have answered once; 0: any time. Default: ten seconds, and a refused connection
   * ends the program at once.
   */
  readonly connectTimeout: number | undefined
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000
/** 20 frames a second. */
const FRAME_MS = 50
/** Between frames while nothing arrives: the age of the shown data. */
const IDLE_FRAME_MS = 1_000

/**
 * Follows a node until a signal, `q` or the given number of blocks.
 *
 * @returns the exit code: 0, or 1 if the node did not answer in time
 */
export async function runWatch(options: WatchOptions): Promise<number> {
  const address = nodeAddressOf(options.url)!
  const ws = options.wsUrl ?? address.ws
  const onRefused = () => {
    if (options.connectTimeout === undefined && !session.hasAnswered) end(1)
  }
  const session = new WatchSession(
    { address: { ...address, ws }, url: redactedUrl(address.http) },
    { ...NODE_ACCESS, onRefused },
  )
  const { code: ended, end } = endOf(session, options)
  const isScreen = !options.json && !options.lines && process.stdout.isTTY
  const close = isScreen ? showScreen(session, end) : showLines(session, options)
  if (options.blocks !== undefined) endAfter(options.blocks, session, () => end(0))
  session.open()
  const code = await ended
  session.close()
  close()
  if (code !== 0) {
    process.stderr.write(
      `tickertape: no node at ${session.state.value.url} (${session.problem ?? 'it does not respond'}): start one with \`npm start\`, or name another: tickertape watch URL\n`,
    )
  }
  return code
}

interface Ending {
  readonly code: Promise<number>
  readonly end: (code: number) => void
}

/** Ends at a signal, a closed pipe, or when no node answers. */
function endOf(session: WatchSession, { connectTimeout = DEFAULT_CONNECT_TIMEOUT_MS }: WatchOptions): Ending {
  const { promise: code, resolve: end } = withResolvers<number>()
  process.once('SIGINT', () => end(0))
  process.once('SIGTERM', () => end(0))
  process.once('SIGHUP', () => end(0))
  // The reader of a pipe, such as `head`, has read enough.
  process.stdout.on('error', () => end(0))
  if (connectTimeout > 0) {
    const cancel = NODE_ACCESS.after(connectTimeout, () => {
      if (!session.hasAnswered) end(1)
    })
    void code.then(cancel)
  }
  return { code, end }
}

/** Ends after a number of sealed blocks; what follows in the same message is not printed. */
function endAfter(blocks: number, session: WatchSession, end: () => void): void {
  let count = 0
  onWatchEvents(session.state, ({ kind }) => {
    if (kind === 'block') count += 1
    if (count === blocks) end()
  })
}

/** @returns ends the output */
function showLines({ state }: WatchSession, { json }: WatchOptions): () => void {
  const writer = new LineWriter(process.stdout, (count) =>
    json
      ? JSON.stringify({ event: 'dropped', lines: count })
      : `${count} lines were not written: the reader is too slow`,
  )
  const lineOf = json ? eventJson : eventLine
  let isOpen = true
  onWatchEvents(state, (event, after) => {
    const line = isOpen ? lineOf(event, after, NODE_ACCESS.now()) : undefined
    if (line !== undefined) writer.write(line)
  })
  return () => {
    isOpen = false
  }
}

/** @returns gives the terminal back */
function showScreen(session: WatchSession, end: (code: number) => void): () => void {
  const { stdout } = process
  const screen = new TerminalScreen(
    { hasColours: process.env.NO_COLOR === undefined, frameMs: FRAME_MS },
    {
      output: stdout,
      after: NODE_ACCESS.after,
      draw: (size) => watchScreen(session.state.value, size, NODE_ACCESS.now()),
    },
  )
  const update = () => screen.update()
  session.state.subscribe(update)
  const timer = setInterval(update, IDLE_FRAME_MS)
  stdout.on('resize', update)
  const releaseKeys = readKeys(session, screen, end)
  // The terminal is restored after an error that ends the process, too.
  const leave = () => void stdout.write(LEAVE)
  process.once('exit', leave)
  screen.open()
  return () => {
    clearInterval(timer)
    stdout.off('resize', update)
    releaseKeys()
    process.off('exit', leave)
    screen.close()
  }
}

/** Keys of the screen. @returns gives the keyboard back */
function readKeys(session: WatchSession, screen: TerminalScreen, end: (code: number) => void): () => void {
  const { stdin } = process
  if (!stdin.isTTY) return () => undefined
  const { live } = session
  const suspend = () => {
    screen.close()
    stdin.setRawMode(false)
    process.once('SIGCONT', () => {
      stdin.setRawMode(true)
      screen.open()
    })
    process.kill(process.pid, 'SIGSTOP')
  }
  const ACTIONS: Readonly<Record<string, () => void>> = {
    q: () => end(0),
    // In raw mode the terminal turns neither ctrl-c nor ctrl-z into a signal.
    '\u0003': () => end(0),
    '\u001a': suspend,
    p: () => (live.state.value.isPaused ? live.resume() : live.pause()),
    s: () => live.step(),
  }
  const press = (keys: Buffer) => {
    for (const key of keys.toString()) ACTIONS[key]?.()
  }
  stdin.setRawMode(true)
  stdin.on('data', press)
  return () => {
    stdin.off('data', press)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
