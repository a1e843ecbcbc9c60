// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IL1Block {
    function basefee() external view returns (uint256);
    function blobBaseFee() external view returns (uint256);
    function baseFeeScalar() external view returns (uint32);
    function blobBaseFeeScalar() external view returns (uint32);
    function l1FeeOverhead() external view returns (uint256);
    function l1FeeScalar() external view returns (uint256);
    function operatorFeeScalar() external view returns (uint32);
    function operatorFeeConstant() external view returns (uint64);
}

/// @title Fees besides gas
/// @notice What a transaction pays for its data on layer 1 and to the operator, for wallets and contracts. Interface,
///   storage and answers are those of the contract of Jovian.
contract GasPriceOracle {
    uint256 public constant DECIMALS = 6;
    IL1Block private constant L1_BLOCK = IL1Block(0x4200000000000000000000000000000000000015);
    address private constant DEPOSITOR_ACCOUNT = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;

    /// Wallets ask for unsigned transactions: a signature takes 68 bytes that hardly compress.
    uint256 private constant SIGNATURE_BYTES = 68;
    /// Linear regression of the compressed size over the FastLZ size, in millionths of a byte (OP-stack specs: Fjord).
    int256 private constant COST_INTERCEPT = -42_585_600;
    uint256 private constant COST_FASTLZ_COEF = 836_500;
    uint256 private constant MIN_TRANSACTION_SIZE = 100;
    uint256 private constant BYTE_GAS = 16;

    bool public isEcotone;
    bool public isFjord;
    bool public isIsthmus;
    bool public isJovian;

    function setEcotone() external {
        require(
            msg.sender == DEPOSITOR_ACCOUNT,
            "GasPriceOracle: only the depositor account can set isEcotone flag"
        );
        require(!isEcotone, "GasPriceOracle: Ecotone already active");
        isEcotone = true;
    }

    function setFjord() external {
        require(msg.sender == DEPOSITOR_ACCOUNT, "GasPriceOracle: only the depositor account can set isFjord flag");
        require(isEcotone, "GasPriceOracle: Fjord can only be activated after Ecotone");
        require(!isFjord, "GasPriceOracle: Fjord already active");
        isFjord = true;
    }

    function setIsthmus() external {
        require(
            msg.sender == DEPOSITOR_ACCOUNT,
            "GasPriceOracle: only the depositor account can set isIsthmus flag"
        );
        require(isFjord, "GasPriceOracle: Isthmus can only be activated after Fjord");
        require(!isIsthmus, "GasPriceOracle: Isthmus already active");
        isIsthmus = true;
    }

    function setJovian() external {
        require(msg.sender == DEPOSITOR_ACCOUNT, "GasPriceOracle: only the depositor account can set isJovian flag");
        require(isIsthmus, "GasPriceOracle: Jovian can only be activated after Isthmus");
        require(!isJovian, "GasPriceOracle: Jovian already active");
        isJovian = true;
    }

    /// @param data an unsigned transaction
    /// @return wei
    function getL1Fee(bytes memory data) external view returns (uint256) {
        if (isFjord) return feeOfCompressed(fastLzLength(data) + SIGNATURE_BYTES);
        uint256 gas = calldataGas(data);
        if (isEcotone) return (gas * weightedPrice()) / (BYTE_GAS * 10 ** DECIMALS);
        return ((gas + L1_BLOCK.l1FeeOverhead()) * l1BaseFee() * L1_BLOCK.l1FeeScalar()) / 10 ** DECIMALS;
    }

    /// The fee of the least compressible transaction of a size.
    /// @param unsignedTxSize bytes of an unsigned transaction
    function getL1FeeUpperBound(uint256 unsignedTxSize) external view returns (uint256) {
        require(isFjord, "GasPriceOracle: getL1FeeUpperBound only supports Fjord");
        uint256 size = unsignedTxSize + SIGNATURE_BYTES;
        return feeOfCompressed(size + size / 255 + 16);
    }

    /// Layer-1 gas for the data of an unsigned transaction.
    function getL1GasUsed(bytes memory data) external view returns (uint256) {
        if (isFjord) return (estimatedSize(fastLzLength(data) + SIGNATURE_BYTES) * BYTE_GAS) / 10 ** DECIMALS;
        uint256 gas = calldataGas(data);
        return isEcotone ? gas : gas + L1_BLOCK.l1FeeOverhead();
    }

    function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
        if (!isIsthmus) return 0;
        uint256 scaled = saturatingMul(gasUsed, L1_BLOCK.operatorFeeScalar());
        uint256 fee = isJovian ? saturatingMul(scaled, 100) : scaled / 10 ** DECIMALS;
        return saturatingAdd(fee, L1_BLOCK.operatorFeeConstant());
    }

    function gasPrice() external view returns (uint256) {
        return block.basefee;
    }

    function baseFee() external view returns (uint256) {
        return block.basefee;
    }

    function l1BaseFee() public view returns (uint256) {
        return L1_BLOCK.basefee();
    }

    function blobBaseFee() public view returns (uint256) {
        return L1_BLOCK.blobBaseFee();
    }

    function baseFeeScalar() public view returns (uint32) {
        return L1_BLOCK.baseFeeScalar();
    }

    function blobBaseFeeScalar() public view returns (uint32) {
        return L1_BLOCK.blobBaseFeeScalar();
    }

    function overhead() external view returns (uint256) {
        require(!isEcotone, "GasPriceOracle: overhead() is deprecated");
        return L1_BLOCK.l1FeeOverhead();
    }

    function scalar() external view returns (uint256) {
        require(!isEcotone, "GasPriceOracle: scalar() is deprecated");
        return L1_BLOCK.l1FeeScalar();
    }

    function decimals() external pure returns (uint256) {
        return DECIMALS;
    }

    function version() external pure returns (string memory) {
        return "1.6.0";
    }

    function feeOfCompressed(uint256 fastLzSize) private view returns (uint256) {
        return (estimatedSize(fastLzSize) * weightedPrice()) / 10 ** (2 * DECIMALS);
    }

    /// In millionths of a byte.
    function estimatedSize(uint256 fastLzSize) private pure returns (uint256) {
        int256 size = COST_INTERCEPT + int256(COST_FASTLZ_COEF * fastLzSize);
        int256 least = int256(MIN_TRANSACTION_SIZE) * 1e6;
        return uint256(size < least ? least : size);
    }

    /// Price of 16 gas of calldata and of a byte of blobs.
    function weightedPrice() private view returns (uint256) {
        uint256 scaledBaseFee = baseFeeScalar() * BYTE_GAS * l1BaseFee();
        return scaledBaseFee + blobBaseFeeScalar() * blobBaseFee();
    }

    function calldataGas(bytes memory data) private pure returns (uint256 gas) {
        for (uint256 index = 0; index < data.length; index++) gas += data[index] == 0 ? 4 : 16;
        return gas + SIGNATURE_BYTES * BYTE_GAS;
    }

    function saturatingMul(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            if (a == 0) return 0;
            uint256 product = a * b;
            return product / a == b ? product : type(uint256).max;
        }
    }

    function saturatingAdd(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            uint256 sum = a + b;
            return sum < a ? type(uint256).max : sum;
        }
    }

    uint256 private constant WINDOW = 8192;

    /// Length of `data` compressed by FastLZ, level 1. A port of `fastLzLength` in `src/chain/fees/data-footprint.ts`.
    function fastLzLength(bytes memory data) private pure returns (uint256 size) {
        unchecked {
            uint256 limit = data.length < 13 ? 0 : data.length - 13;
            uint256[] memory lastSeen = new uint256[](WINDOW);
            uint256 anchor = 0;
            uint256 position = 2;
            while (position < limit) {
                (bool isFound, uint256 found, uint256 earlier) = findMatch(data, lastSeen, position, limit);
                if (!isFound) break;
                if (found > anchor) size += literalsLength(found - anchor);
                uint256 length = commonLength(data, earlier + 3, found + 3, limit + 9);
                size += matchLength(length);
                position = found + length;
                lastSeen[hashOf(threeBytes(data, position))] = position;
                position++;
                lastSeen[hashOf(threeBytes(data, position))] = position;
                position++;
                anchor = position;
            }
            size += literalsLength(data.length - anchor);
        }
    }

    /// The next position whose three bytes occurred within the window.
    function findMatch(bytes memory data, uint256[] memory lastSeen, uint256 from, uint256 limit)
        private
        pure
        returns (bool isFound, uint256 position, uint256 earlier)
    {
        unchecked {
            for (position = from; position + 1 < limit; position++) {
                uint256 sequence = threeBytes(data, position);
                uint256 slot = hashOf(sequence);
                earlier = lastSeen[slot];
                lastSeen[slot] = position;
                if (position - earlier < WINDOW && sequence == threeBytes(data, earlier)) {
                    return (true, position, earlier);
                }
            }
        }
    }

    /// Number of equal bytes from both positions on, plus the first different one, as FastLZ counts.
    function commonLength(bytes memory data, uint256 earlier, uint256 position, uint256 end)
        private
        pure
        returns (uint256)
    {
        unchecked {
            if (position >= end) return 0;
            uint256 most = end - position;
            for (uint256 length = 0; length < most; length++) {
                if (data[earlier + length] != data[position + length]) return length + 1;
            }
            return most;
        }
    }

    /// Literals come in runs of at most 32 bytes with a length byte each.
    function literalsLength(uint256 count) private pure returns (uint256) {
        unchecked {
            uint256 rest = count % 32;
            return 33 * (count / 32) + (rest == 0 ? 0 : rest + 1);
        }
    }

    function matchLength(uint256 length) private pure returns (uint256) {
        unchecked {
            uint256 rest = length - 1;
            return 3 * (rest / 262) + (rest % 262 >= 6 ? 3 : 2);
        }
    }

    function threeBytes(bytes memory data, uint256 position) private pure returns (uint256 value) {
        assembly {
            let word := mload(add(add(data, 32), position))
            value := or(byte(0, word), or(shl(8, byte(1, word)), shl(16, byte(2, word))))
        }
    }

    function hashOf(uint256 sequence) private pure returns (uint256) {
        unchecked {
            return ((sequence * 2654435769) & 0xffffffff) >> 19 & (WINDOW - 1);
        }
    }
}
