import { Worker } from 'node:worker_threads'

/** A worker thread as its owner sees it. */
export interface ThreadPort<Sent, Received> {
  post(message: Sent): void
  /** `onMessage` receives each message, in order; `onEnd` is called once when the thread ends. */
  listen(onMessage: (message: Received) => void, onEnd: (error: unknown) => void): void
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
    async end() {
      await worker.terminate()
    },
  }
}
