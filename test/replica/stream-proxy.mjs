import { connect, createServer } from 'node:net'

/** Disturbances of the stream: those of a network, and messages of a foreign program. */
export const DISTURBANCES = ['drop', 'duplicate', 'swap', 'delay', 'cut', 'corrupt', 'unknown', 'oversized']

const BINARY = 2

/**
 * A proxy between replicas and a node. Messages of replicas pass unchanged. Messages of the node are parsed, and the
 * next message of records after `disturb` is corrupted.
 *
 * @param target port of the node, or a function that returns it
 */
export async function startStreamProxy(target) {
  const links = new Set()
  const server = createServer((client) => {
    const link = new Link(client, connect(typeof target === 'function' ? target() : target, '127.0.0.1'))
    links.add(link)
    link.closed.then(() => links.delete(link))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    /** Disturbs every connection. Resolves with the number of connections, once reached; immediately for `cut`. */
    disturb: (kind) => Promise.all([...links].map((link) => link.disturb(kind))),
    /** Releases messages held by `delay`. */
    release: () => {
      for (const link of links) link.release()
    },
    async close() {
      for (const link of links) link.cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

class Link {
  #client
  #node
  #bytes = Buffer.alloc(0)
  #isOpen = false
  #pending
  #held
  #swapped
  #close

  constructor(client, node) {
    this.#client = client
    this.#node = node
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
    client.pipe(node)
    node.on('data', (chunk) => this.#receive(chunk))
    for (const socket of [client, node]) {
      socket.on('error', () => this.cut())
      socket.on('close', () => this.cut())
    }
  }

  disturb(kind) {
    if (kind === 'cut') {
      this.cut()
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      this.#pending = { kind, resolve }
    })
  }

  release() {
    const held = this.#held ?? []
    this.#held = undefined
    for (const frame of held) this.#client.write(frame)
  }

  cut() {
    this.#client.destroy()
    this.#node.destroy()
    this.#pending?.resolve()
    this.#close()
  }

  #receive(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    if (!this.#isOpen) {
      const end = this.#bytes.indexOf('\r\n\r\n')
      if (end === -1) return
      this.#client.write(this.#bytes.subarray(0, end + 4))
      this.#bytes = this.#bytes.subarray(end + 4)
      this.#isOpen = true
    }
    for (let size = frameSize(this.#bytes); size !== undefined && size <= this.#bytes.length; ) {
      this.#pass(Buffer.from(this.#bytes.subarray(0, size)))
      this.#bytes = this.#bytes.subarray(size)
      size = frameSize(this.#bytes)
    }
  }

  #pass(frame) {
    const isRecords = (frame[0] & 0x0f) === BINARY
    if (this.#pending !== undefined && isRecords) {
      const { kind, resolve } = this.#pending
      this.#pending = undefined
      this.#spoil(kind, frame)
      resolve()
    } else if (this.#swapped !== undefined && isRecords) {
      const first = this.#swapped
      this.#swapped = undefined
      this.#send(frame)
      this.#send(first)
    } else this.#send(frame)
  }

  #spoil(kind, frame) {
    switch (kind) {
      case 'drop':
        return
      case 'duplicate':
        this.#send(frame)
        this.#send(frame)
        return
      case 'swap':
        this.#swapped = frame
        return
      case 'delay':
        this.#held = [frame]
        return
      case 'corrupt':
        frame[frame.length - 1] ^= 1
        this.#send(frame)
        return
      case 'unknown':
        // A message of a newer version: a binary message of an unknown kind.
        this.#send(Buffer.of(0x80 | BINARY, 3, 99, 1, 2))
        this.#send(frame)
        return
      case 'oversized': {
        const header = Buffer.alloc(10)
        header[0] = 0x80 | BINARY
        header[1] = 127
        header.writeBigUInt64BE(2n ** 40n, 2)
        this.#send(header)
      }
    }
  }

  #send(frame) {
    if (this.#held === undefined) this.#client.write(frame)
    else this.#held.push(frame)
  }
}

/** Bytes of the frame at this position (RFC 6455, 5.2; servers do not mask); `undefined` while incomplete. */
function frameSize(bytes) {
  if (bytes.length < 2) return undefined
  const short = bytes[1] & 0x7f
  if (short < 126) return 2 + short
  if (short === 126) return bytes.length < 4 ? undefined : 4 + bytes.readUInt16BE(2)
  return bytes.length < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(2))
}
