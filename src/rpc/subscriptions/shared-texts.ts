import type { NotificationText } from './shared-text.ts'

/** Characters above which a copy per client costs more than a separate write of the shared text. */
const LARGE = 4_096
/** Characters of a group of small texts, including a head for each. */
const MAX_TOGETHER = 15 * 1024
const HEAD = 128

/** Notifications of one event. Everything but the heads is shared by all clients. */
export class NotificationGroup {
  readonly texts: readonly NotificationText[]
  /** Characters. */
  readonly size: number

  constructor(texts: readonly NotificationText[]) {
    this.texts = texts
    this.size = texts.reduce((sum, { size }) => sum + size, 0)
  }

  /** The single text of a group, when it is too large to be copied for each client. */
  get large(): NotificationText | undefined {
    const [first] = this.texts
    return first !== undefined && first.size >= LARGE ? first : undefined
  }
}

/** Groups texts in their order: small ones together up to a limit, large ones alone. */
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
