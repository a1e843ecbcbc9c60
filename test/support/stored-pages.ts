import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DamagedPart, damagedParts } from '../../src/storage/pages/check-pages.ts'
import { openCoveredDatabase } from '../../src/storage/pages/covered-database.ts'
import { livePages } from '../../src/storage/pages/live-pages.ts'
import { matchesSum, PageReader } from '../../src/storage/pages/page-reader.ts'

/** What each page in use of a stopped database holds, as the damage report words it. */
export function storedPages(directory: string): readonly DamagedPart[] {
  const { file, sums, meta } = openCoveredDatabase(directory)!
  try {
    const numbers = [...livePages(meta, new PageReader(file, matchesSum(sums)))].map(({ number }) => number)
    return numbers.flatMap((number) => damagedParts(file, meta, new Set([number])))
  } finally {
    file.close()
  }
}

/** Flips one bit in the middle of a page. */
export function damagePage(directory: string, page: number, pageSize = 4096): void {
  const path = join(directory, 'data.mdb')
  const bytes = readFileSync(path)
  bytes[page * pageSize + pageSize / 2]! ^= 4
  writeFileSync(path, bytes)
}
