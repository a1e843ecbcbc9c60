import { defineDevelopmentMethod } from '../../registry/development-method.ts'

export const anvil_getGenesisTime = defineDevelopmentMethod({
  name: 'anvil_getGenesisTime',
  summary: 'The timestamp of block 0, in seconds as a number.',
  params: [],
  result: { type: 'integer' },
  cost: 1,
  example: { params: [], result: 1_735_689_600 },
  handle: (_, { context }) => Number(context.view.header({ kind: 'number', number: 0 })!.timestamp),
})
