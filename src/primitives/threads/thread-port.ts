import { parentPort, Worker } from 'node:worker_threads'

/** The last message to a thread. */
const END = 'end of the thread'
/** Milliseconds that a thread has to end by itself. */
const END_LIMIT_MS = 2_000

/** A worker thread as its owner sees it. */
export interface ThreadPort<Sent, Received> {
  post(message: Sent): void
  /** `onMessage` receives each message, in order; `onEnd` is called once when the thread ends. */
  listen(onMessage: (message: Received) => void, onEnd: (error: unknown) => void): void
  /** See `endThread`. */
  end(): Promise<void>
}

interface ThreadOptions<Sent> {
  readonly name: string
  /** Start parameters of the thread. */
  readonly workerData?: unknown
  /** Whether the process runs until the thread ends. Default: true. */
  readonly keepsProcess?: boolean
  /** Buffers that are transferred with a message instead of copied. */
  readonly transferred: (message: Sent) => ArrayBuffer[]
}

/** Starts the worker thread of a program. */
export function startThread<Sent, Received>(program: URL, options: ThreadOptions<Sent>): ThreadPort<Sent, Received> {
  const { name, workerData, keepsProcess = true, transferred } = options
  const worker = new Worker(program, { name, workerData })
  if (!keepsProcess) worker.unref()
  return {
    post: (message) => worker.postMessage(message, transferred(message)),
    listen(onMessage, onEnd) {
      worker.on('message', onMessage)
      worker.on('error', onEnd)
      worker.on('exit', (code) => onEnd(new Error(`it ended with code ${code}`)))
    },
    end: () => endThread(worker),
  }
}

/**
 * Ends a thread whose program calls `receiveMessages`: after the messages before, and between two synchronous steps.
 * Work that has yielded is dropped. A thread that still runs or loads after two seconds is terminated. `terminate`
 * alone could stop a thread within a call of a native addon, and an addon that then throws aborts the process.
 */
export async function endThread(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // Keeps the process alive until the thread has ended.
  worker.ref()
  worker.postMessage(END)
  const timer = setTimeout(() => void worker.terminate(), END_LIMIT_MS)
  await ended
  clearTimeout(timer)
}

/** In a worker thread: passes each message to `handle`. `endThread` ends the thread. */
export function receiveMessages<Received>(handle: (message: Received) => void): void {
  parentPort!.on('message', (message: Received | typeof END) => {
    // Ends this thread, not the process.
    if (message === END) process.exit()
    handle(message)
  })
}
