/** Ids of the roles of a stock: keccak-256 of their names, zero for the admin (contracts/stock/StockAccess.sol). */
export const ROLE_IDS: Readonly<Record<string, string>> = {
  DEFAULT_ADMIN_ROLE: '0x0000000000000000000000000000000000000000000000000000000000000000',
  MINT_ROLE: '0x154c00819833dac601ee5ddded6fda79d9d8b506b911b3dbd54cdb95fe6c3686',
  BURN_ROLE: '0xe97b137254058bd94f28d2f3eb79e2d34074ffb488d042e3bc958e0a57d2fa22',
  BURN_BLOCKED_ROLE: '0x7408fdc0d31c7bcb349eab611f5d1168acd4303574993f8cdc98b1cd18c41cae',
  SEIZE_ROLE: '0x3469b8b0d89e9604f8510ed143f74a8336d22955d4f83e23bf53d9414e27f432',
  PAUSE_ROLE: '0x139c2898040ef16910dc9f44dc697df79363da767d8bc92f2e310312b816e46d',
  UNPAUSE_ROLE: '0x265b220c5a8891efdd9e1b1b7fa72f257bd5169f8d87e319cf3dad6ff52b94ae',
  METADATA_ROLE: '0x6bd6b5318a46e5fff572d5e4258a20774aab40cc35ac7680654b9081fcc82f80',
  OPERATOR_ROLE: '0x97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b929',
}

/** Name of a role id; `undefined` for another word. */
export function roleNameOf(id: string): string | undefined {
  return Object.keys(ROLE_IDS).find((name) => ROLE_IDS[name] === id.toLowerCase())
}
