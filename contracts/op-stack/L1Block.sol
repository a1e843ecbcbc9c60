// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Values of layer 1
/// @notice Values of layer 1 and the fee parameters of the chain, for contracts and for the L1 fee. The first
///   transaction of each block sets them (OP-stack specs: L1 attributes). Interface and storage are those of the
///   contract of Jovian.
contract L1Block {
    error NotDepositor();

    address public constant DEPOSITOR_ACCOUNT = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;
    address private constant ETHER = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    uint64 public number;
    uint64 public timestamp;
    uint256 public basefee;
    bytes32 public hash;
    /// Blocks since `number` changed.
    uint64 public sequenceNumber;
    uint32 public blobBaseFeeScalar;
    uint32 public baseFeeScalar;
    bytes32 public batcherHash;
    /// Used before Ecotone.
    uint256 public l1FeeOverhead;
    uint256 public l1FeeScalar;
    uint256 public blobBaseFee;
    uint64 public operatorFeeConstant;
    uint32 public operatorFeeScalar;
    uint16 public daFootprintGasScalar;

    modifier onlyDepositor() {
        if (msg.sender != DEPOSITOR_ACCOUNT) revert NotDepositor();
        _;
    }

    /// Before Ecotone.
    function setL1BlockValues(
        uint64 number_,
        uint64 timestamp_,
        uint256 basefee_,
        bytes32 hash_,
        uint64 sequenceNumber_,
        bytes32 batcherHash_,
        uint256 l1FeeOverhead_,
        uint256 l1FeeScalar_
    ) external {
        require(msg.sender == DEPOSITOR_ACCOUNT, "L1Block: only the depositor account can set L1 block values");
        number = number_;
        timestamp = timestamp_;
        basefee = basefee_;
        hash = hash_;
        sequenceNumber = sequenceNumber_;
        batcherHash = batcherHash_;
        l1FeeOverhead = l1FeeOverhead_;
        l1FeeScalar = l1FeeScalar_;
    }

    /// The calldata is packed; bytes that are missing at its end count as zero.
    function setL1BlockValuesEcotone() external onlyDepositor {
        setPackedValues();
    }

    function setL1BlockValuesIsthmus() external onlyDepositor {
        setPackedValues();
        operatorFeeScalar = uint32(packed(164, 4));
        operatorFeeConstant = uint64(packed(168, 8));
        daFootprintGasScalar = 0;
    }

    function setL1BlockValuesJovian() external onlyDepositor {
        setPackedValues();
        operatorFeeScalar = uint32(packed(164, 4));
        operatorFeeConstant = uint64(packed(168, 8));
        daFootprintGasScalar = uint16(packed(176, 2));
    }

    function setPackedValues() private {
        baseFeeScalar = uint32(packed(4, 4));
        blobBaseFeeScalar = uint32(packed(8, 4));
        sequenceNumber = uint64(packed(12, 8));
        timestamp = uint64(packed(20, 8));
        number = uint64(packed(28, 8));
        basefee = packed(36, 32);
        blobBaseFee = packed(68, 32);
        hash = bytes32(packed(100, 32));
        batcherHash = bytes32(packed(132, 32));
    }

    /// An integer of the calldata.
    function packed(uint256 offset, uint256 size) private pure returns (uint256 value) {
        assembly {
            value := shr(sub(256, mul(size, 8)), calldataload(offset))
        }
    }

    function gasPayingToken() external pure returns (address addr_, uint8 decimals_) {
        return (ETHER, 18);
    }

    function gasPayingTokenName() external pure returns (string memory) {
        return "Ether";
    }

    function gasPayingTokenSymbol() external pure returns (string memory) {
        return "ETH";
    }

    function isCustomGasToken() external pure returns (bool) {
        return false;
    }

    function version() external pure returns (string memory) {
        return "1.7.0";
    }
}
