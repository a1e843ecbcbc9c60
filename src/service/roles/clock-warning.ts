/** @returns a function that warns each time the clock of this node begins to differ by more than is allowed */
export function clockWarning(
  maxOffsetMs: number,
  log: { warn(details: object, message: string): void },
): (offsetMs: number) => void {
  let isWithinLimit = true
  return (offsetMs) => {
    const wasWithinLimit = isWithinLimit
    isWithinLimit = Math.abs(offsetMs) <= maxOffsetMs
    if (isWithinLimit || !wasWithinLimit) return
    log.warn(
      { offsetMs: Math.round(offsetMs) },
      'the clock of this node differs from that of the NATS servers by more than --max-clock-jump-ms: correct it, since a node with such a clock does not take over',
    )
  }
}
