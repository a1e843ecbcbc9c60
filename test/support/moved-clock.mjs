// Preloaded into a node: moves its system clock, as an operator or NTP would, and leaves the monotonic clock alone.
// `?offsetMs=` in the module's URL is the offset at the start; a message `{ clock: { offsetMs, rate } }` changes it.
const machineNow = Date.now
const start = machineNow()
let offsetMs = Number(new URL(import.meta.url).searchParams.get('offsetMs') ?? 0)
/** Seconds of the moved clock in one real second, from the start. */
let rate = 1

const MachineDate = Date
globalThis.Date = class extends MachineDate {
  constructor(...values) {
    if (values.length === 0) super(globalThis.Date.now())
    else super(...values)
  }

  static now() {
    return Math.floor(start + (machineNow() - start) * rate + offsetMs)
  }
}

process.on('message', ({ clock }) => {
  if (clock === undefined) return
  offsetMs = clock.offsetMs ?? offsetMs
  rate = clock.rate ?? rate
  process.send?.({ now: Date.now() })
})
// The listener alone must not keep the process alive.
process.channel?.unref()
