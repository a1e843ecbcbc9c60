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
  const { Hostile } = compiled('Hostile.sol', content)
  return `0x${Hostile.evm.bytecode.object}`
}

/**
 * Tokens that deceive without markup: one whose symbol turns the text after it around, and one whose symbol has a
 * megabyte.
 *
 * @returns {readonly [turning: `0x${string}`, endless: `0x${string}`]} their init codes
 */
export function hostileSymbols() {
  const content = `
    contract Turning {
      event Transfer(address indexed from, address indexed to, uint256 amount);
      string public symbol = unicode'HTE\\u202eDSU';
      uint8 public decimals = 2;
      function speak() external { emit Transfer(msg.sender, address(this), 12345); }
    }
    contract Endless {
      event Transfer(address indexed from, address indexed to, uint256 amount);
      uint8 public decimals = 2;
      function symbol() external pure returns (string memory) { return string(new bytes(1000000)); }
      function speak() external { emit Transfer(msg.sender, address(this), 54321); }
    }`
  const contracts = compiled('Symbols.sol', content)
  return [contracts.Turning, contracts.Endless].map(({ evm }) => `0x${evm.bytecode.object}`)
}

/** @param {string} file @param {string} content */
function compiled(file, content) {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: { evmVersion: 'prague', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (contracts?.[file] === undefined) throw new Error(errors[0].formattedMessage)
  return contracts[file]
}
