import type { NotificationText } from './shared-text.ts'

/** Characters from which a copy for each client costs more than to send the text apart from its head. */
const LARGE = 4_096
/** Characters of small texts that are together, each counted with the head that a client has in front of it. */
const MAX_TOGETHER = 15 * 1024
const HEAD = 128

/** Notifications that are told together: all that is written to a client but the heads is the same for every client. */
export class NotificationGroup {
  readonly texts: readonly NotificationText[]
  /** Characters. */
  readonly size: number

  constructor(texts: readonly NotificationText[]) {
    this.texts = texts
    this.size = texts.reduce((sum, { size }) => sum + size, 0)
  }

  /** The only one, where it is too large to be copied for each client. */
  get large(): NotificationText | undefined {
    const [first] = this.texts
    return first !== undefined && first.size >= LARGE ? first : undefined
  }
}

/** In their order: small ones together, as many as fit, and large ones alone. */
export function groupBySize(texts: readonly NotificationText[]): NotificationGroup[] {
  const groups: NotificationGroup[] = []
  let group: NotificationText[] = []
  let used = 0
  const close = () => {
    if (group.length > 0) groups.push(new NotificationGroup(group))
    group = []
    used = 0
  }
  for (const text of texts) {
    const needed = HEAD + text.size
    if (text.size >= LARGE || used + needed > MAX_TOGETHER) close()
    group.push(text)
    used += needed
    if (text.size >= LARGE) close()
  }
  close()
  return groups
}
