// Starts gas report and coverage before the first test, where the node has them: Anvil and Hardhat's node do not.
const { request } = require('./fixtures')

const UNKNOWN_METHOD = [-32601, -32004]

before(async () => {
  await request('tickertape_startReport').catch((error) => {
    if (!UNKNOWN_METHOD.includes(error.code)) throw error
  })
})
