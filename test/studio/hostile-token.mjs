// A token whose symbol, log and revert string are markup.
import solc from 'solc'

/** @param {string} markup without backslashes and single quotes @returns {`0x${string}`} its init code */
export function hostileToken(markup) {
  const content = `
    contract Hostile {
      event Transfer(address indexed from, address indexed to, uint256 amount);
      event Note(string text);
      string public symbol = '${markup}';
      uint8 public decimals = 2;
      function speak() external { emit Transfer(msg.sender, address(this), 12345); emit Note(symbol); }
      function fail() external view { revert(symbol); }
    }`
  const input = {
    language: 'Solidity',
    sources: { 'Hostile.sol': { content } },
    settings: { evmVersion: 'prague', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (contracts === undefined) throw new Error(errors[0].formattedMessage)
  return `0x${contracts['Hostile.sol'].Hostile.evm.bytecode.object}`
}
