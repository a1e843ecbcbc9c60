import { boolean } from '../codecs/boolean.ts'
import { text } from '../codecs/text.ts'
import { EXAMPLE_FILTER_ID } from '../examples.ts'
import { defineWritingMethod, required } from '../method.ts'

export const eth_uninstallFilter = defineWritingMethod({
  name: 'eth_uninstallFilter',
  summary: 'Ends a filter. Whether there was one.',
  params: [required('filterId', text)],
  result: boolean.schema,
  cost: 1,
  example: { params: [EXAMPLE_FILTER_ID], result: true },
  handle: ([id], { filters }) => filters.close(id),
})
