import { addCopyButtons, fillOwnAddress } from './examples.ts'
import { startSearch } from './search.ts'
import { addTryButtons } from './try-it.ts'

/** The script of the page at `/docs`, which reads as plain text without it. */
fillOwnAddress()
addCopyButtons()
addTryButtons()
startSearch()
