import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../constants.ts'
import { type Predeploy, predeploy } from './predeploy.ts'

// Code and addresses from the "Deployment" sections of EIP-2935 and EIP-4788.

/** Hashes of the last 8191 blocks, written at the start of each block (EIP-2935). */
export const HISTORY_CONTRACT: Predeploy = predeploy(
  'EIP-2935 history',
  HISTORY_STORAGE_ADDRESS,
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff' +
    '9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
)

/** Beacon roots of the last 8191 timestamps, written at the start of each block (EIP-4788). */
export const BEACON_ROOTS_CONTRACT: Predeploy = predeploy(
  'EIP-4788 beacon roots',
  BEACON_ROOTS_ADDRESS,
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f' +
    '5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
)
