import { createHash } from 'node:crypto'
import { chmodSync, closeSync, constants, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PRIVATE_FILE } from './disk.ts'
import { isReadOnlyError, readOnlyError, StorageError, systemErrorCode } from './storage-error.ts'

export interface DirectoryLock {
  /** Releases the lock. The operating system also does when the process ends. */
  release(): Promise<void>
}

/**
 * Makes this process the only writer of a directory. The lock is a Unix socket in the directory: its owner accepts
 * connections and answers with its process id, and a socket that refuses them belonged to a dead process and is
 * removed. The lock does not keep the process running.
 *
 * @param name of the socket
 * @throws StorageError `DIRECTORY_IN_USE`, `READ_ONLY`, `NOT_OUR_DIRECTORY`
 * @example const lock = await lockDirectory('/var/lib/tickertape/main', 'lock')
 */
export async function lockDirectory(directory: string, name: string): Promise<DirectoryLock> {
  const address = socketAddress(resolve(directory), name)
  try {
    const server = await withoutRival(directory, () => claim(directory, address.path))
    return {
      async release() {
        await closed(server)
        address.close()
      },
    }
  } catch (error) {
    address.close()
    throw isReadOnlyError(error) ? readOnlyError(directory, error) : error
  }
}

/** `sun_path` has 108 bytes on Linux, 104 on other systems, including the terminator. */
const MAXIMUM_SOCKET_PATH = 103

interface SocketAddress {
  readonly path: string
  close(): void
}

function socketAddress(directory: string, name: string): SocketAddress {
  const path = join(directory, name)
  if (Buffer.byteLength(path) <= MAXIMUM_SOCKET_PATH) return { path, close() {} }
  if (process.platform !== 'linux') {
    // A short path in the system's temporary directory, named after the inode, which is the same however the path is
    // spelled.
    const { dev, ino } = statSync(directory)
    const hash = createHash('sha256').update(`${dev}:${ino}:${name}`).digest('hex').slice(0, 32)
    return { path: join(tmpdir(), `tickertape-${hash}`), close() {} }
  }
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${descriptor}/${name}`, close: () => closeSync(descriptor) }
}

/**
 * Two processes that find the same dead socket must not remove each other's new one. On Linux an abstract socket, which
 * cannot outlive its process, serialises them; on other systems a window of some microseconds remains.
 */
async function withoutRival<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  if (process.platform !== 'linux') return act()
  const { dev, ino } = statSync(directory)
  const rival = await listen(`\0tickertape-lock-${dev}-${ino}`)
  if (rival === 'taken') throw inUse(directory)
  try {
    return await act()
  } finally {
    await closed(rival)
  }
}

async function claim(directory: string, path: string): Promise<Server> {
  const first = await listen(path)
  if (first !== 'taken') return first
  const owner = await ownerOf(path)
  if (owner !== undefined) throw inUse(directory, owner)
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false) {
    throw new StorageError('NOT_OUR_DIRECTORY', `${path} is no lock of this program: choose another data directory`, {
      path,
    })
  }
  rmSync(path, { force: true })
  const second = await listen(path)
  if (second === 'taken') throw inUse(directory)
  return second
}

function listen(path: string): Promise<Server | 'taken'> {
  return new Promise((resolvePromise, reject) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(String(process.pid)))
    server.once('error', (error) => {
      if (systemErrorCode(error) === 'EADDRINUSE') resolvePromise('taken')
      else reject(error)
    })
    server.listen({ path, exclusive: true }, () => {
      if (!path.startsWith('\0')) chmodSync(path, PRIVATE_FILE)
      resolvePromise(server.unref())
    })
  })
}

/** The owner of a lock; its process id is absent when it does not answer in time. */
interface Owner {
  readonly pid?: number
}

/** Milliseconds that the owner of a lock has to say its process id. It may be stopped. */
const OWNER_TIMEOUT_MS = 1_000

/** @returns `undefined` for the socket of a dead process */
function ownerOf(path: string): Promise<Owner | undefined> {
  return new Promise((resolvePromise, reject) => {
    const socket = connect(path)
    let text = ''
    let isConnected = false
    socket.setTimeout(OWNER_TIMEOUT_MS, () => socket.destroy())
    socket.setEncoding('ascii').on('data', (part: string) => {
      text += part
    })
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('error', (error) => {
      const code = systemErrorCode(error)
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolvePromise(undefined)
      // The connection queue is full, so its owner is alive.
      else if (code === 'EAGAIN' || isConnected) resolvePromise({})
      else reject(error)
    })
    socket.once('close', () => resolvePromise(/^[1-9][0-9]{0,9}$/.test(text) ? { pid: Number(text) } : {}))
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolvePromise) => server.close(() => resolvePromise()))
}

function inUse(directory: string, { pid }: Owner = {}): StorageError {
  const id = pid === undefined ? '' : ` (process ${pid})`
  return new StorageError(
    'DIRECTORY_IN_USE',
    `${directory} is in use by another process${id}: stop that one, or choose another data directory`,
    { path: directory },
  )
}
