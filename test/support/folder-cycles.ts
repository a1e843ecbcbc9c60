/** An import between two folders, as paths of the importing and the imported file. */
export interface FolderImport {
  readonly from: string
  readonly to: string
}

/** Folders that import each other in a circle, and the imports between them. */
export interface FolderCycle {
  /** Sorted and separated by spaces. */
  readonly folders: string
  readonly imports: readonly FolderImport[]
}

/** The cycles among folders: each is a largest set of folders that all reach each other through imports. */
export function folderCycles(
  imports: readonly FolderImport[],
  folderOf: (file: string) => string,
): readonly FolderCycle[] {
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    targets.set(folderOf(from), (targets.get(folderOf(from)) ?? new Set()).add(folderOf(to)))
  }
  const reachable = new Map([...targets.keys()].map((folder) => [folder, foldersReached(folder, targets)]))

  const cycles = new Map<string, FolderCycle>()
  for (const [folder, reached] of reachable) {
    const circle = [...reached].filter((other) => reachable.get(other)?.has(folder)).sort()
    if (circle.length < 2) continue
    const inCircle = (file: string) => circle.includes(folderOf(file))
    const folders = circle.join(' ')
    cycles.set(folders, { folders, imports: imports.filter(({ from, to }) => inCircle(from) && inCircle(to)) })
  }
  return [...cycles.values()].sort((a, b) => (a.folders < b.folders ? -1 : 1))
}

function foldersReached(start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const target of targets.get(folder) ?? []) {
      if (reached.has(target)) continue
      reached.add(target)
      open.push(target)
    }
  }
  return reached
}
